// A page for trying a network. `engine` runs it: in the browser (onnx.js; nothing is fetched, the model,
// runtime and samples are in the file) or on the server of this page (server.js).
// `facts.interface` describes the inputs and outputs of the network; see the model card.
const byId = (id) => document.getElementById(id);
const facts = JSON.parse(byId("facts").textContent);
const { inputs, outputs } = facts.interface;
const count = (shape) => shape.reduce((a, b) => a * b, 1);
const make = (tag, props = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), props);
  made.append(...children);
  return made;
};

// ---- bytes
function decode(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
const ARRAYS = { float32: Float32Array, int64: BigInt64Array, bool: Uint8Array };
const values = (dtype, text) => new ARRAYS[dtype](decode(text).buffer);
const empty = (spec) => new ARRAYS[spec.dtype](count(spec.shape));
