"""The file form of a problem: `Settings`, everything that is asked except the data.

A YAML or JSON text becomes a tree that knows its lines (tree.py, yaml_tree.py, json_tree.py). A
form (forms/) reads one kind of value from the tree, writes it back, and says its JSON Schema; the
vocabulary (vocabulary.py) is the table of all keys with their forms. So reader, writer and schema
cannot differ.
"""
