// How the page speaks with Python: over HTTP in a browser, over the channel of the widget in a notebook.
// Both have request(method, path, body, progress), subscribe(onEvent, onLink) and download(path, name).
export class Refused extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

function refusal(status, body) {
  const error = body && body.error ? body.error : { code: "failed", message: `HTTP ${status}`, remedy: null };
  return new Refused(status, error);
}

// Lost: no answer came at all.
function lost() {
  return new Refused(0, { code: "lost", message: "", remedy: null });
}

const EVENTS = ["hello", "reset", "table", "table-removed", "run", "run-removed", "progress", "card", "edit"];

export function httpTransport(base = "") {
  // Files go through XMLHttpRequest: it streams them from disk and says how far it has come.
  function send(path, file, progress) {
    const call = new XMLHttpRequest();
    const answer = new Promise((resolve, reject) => {
      call.upload.addEventListener("progress", (event) => progress(event.loaded, event.total));
      call.addEventListener("load", () => {
        let body = null;
        try { body = JSON.parse(call.responseText); } catch { /* an answer without a body */ }
        if (call.status >= 400) reject(refusal(call.status, body)); else resolve({ status: call.status, body });
      });
      call.addEventListener("error", () => reject(lost()));
      call.addEventListener("abort", () => reject(new Refused(0, { code: "aborted", message: "", remedy: null })));
      call.open("POST", base + path);
      call.setRequestHeader("Content-Type", "application/octet-stream");
      call.send(file);
    });
    answer.abort = () => call.abort();
    return answer;
  }

  async function json(method, path, body) {
    let response;
    try {
      response = await fetch(base + path, {
        method,
        headers: body === undefined ? {} : { "Content-Type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "same-origin",
        cache: "no-store",
      });
    } catch {
      throw lost();
    }
    const text = await response.text();
    let found = null;
    try { found = text ? JSON.parse(text) : null; } catch { /* not JSON */ }
    if (!response.ok) throw refusal(response.status, found);
    return { status: response.status, body: found };
  }

  return {
    request(method, path, body, progress = () => {}) {
      return body instanceof Blob ? send(path, body, progress) : json(method, path, body);
    },
    subscribe(onEvent, onLink = () => {}) {
      let source = null, timer = null, closed = false;
      const open = () => {
        source = new EventSource(`${base}/api/events`);
        for (const name of EVENTS) {
          source.addEventListener(name, (event) => onEvent(name, JSON.parse(event.data)));
        }
        source.addEventListener("open", () => onLink(true));
        source.addEventListener("error", () => {
          onLink(false);
          if (source.readyState === EventSource.CLOSED && !closed) {
            clearTimeout(timer);
            timer = setTimeout(open, 1500); // the browser has given up: a server that starts again is found
          }
        });
      };
      open();
      return () => { closed = true; clearTimeout(timer); source.close(); };
    },
    download(path, name) {
      const link = document.createElement("a");
      link.href = base + path;
      link.download = name;
      link.click();
    },
    address: (path) => base + path,
    session: (token) => json("POST", "/api/session", { token }),
  };
}

export function widgetTransport(model) {
  const waiting = new Map(), listeners = new Map();
  let counter = 0;
  model.on("msg:custom", (content, buffers) => {
    if (content.kind === "event") {
      const listener = listeners.get(content.id);
      if (listener) listener(content.event.event, content.event.data);
      return;
    }
    const pending = waiting.get(content.id);
    if (content.kind !== "response" || !pending) return;
    waiting.delete(content.id);
    const blob = buffers && buffers.length ? new Blob([buffers[0]], { type: content.type }) : null;
    if (content.status >= 400) pending.reject(refusal(content.status, content.body));
    else pending.resolve({ status: content.status, body: content.body, blob });
  });

  async function request(method, path, body) {
    counter += 1;
    const id = counter;
    const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    const isFile = body instanceof Blob;
    const buffers = isFile ? [await body.arrayBuffer()] : [];
    model.send({ kind: "request", id, method, path, body: isFile || body === undefined ? null : body }, undefined,
      buffers);
    return answer;
  }

  return {
    request,
    subscribe(onEvent, onLink = () => {}) {
      counter += 1;
      const id = counter;
      listeners.set(id, onEvent);
      model.send({ kind: "subscribe", id });
      onLink(true);
      return () => { listeners.delete(id); model.send({ kind: "unsubscribe", id }); };
    },
    async download(path, name) {
      const { body, blob } = await request("GET", path);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob || new Blob([typeof body === "string" ? body : JSON.stringify(body, null,
            2)]));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    },
    address: () => null,
    session: async () => {},
  };
}
