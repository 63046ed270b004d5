// The page of `supersparse studio`: mounts the module on the whole window.
import { mount } from "./studio.js";
import { httpTransport } from "./transport.js";

mount(document.getElementById("studio"), httpTransport(), { page: true });
