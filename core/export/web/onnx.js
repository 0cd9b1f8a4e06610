// ---- the engine: ONNX Runtime Web, packed into this file
async function unpack(id) {
  const stream = new Blob([decode(byId(id).textContent)]).stream();
  return new Uint8Array(await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
}
const engine = {
  where: "here",
  needs: "This browser could not start the network: it needs WebAssembly and DecompressionStream (Chrome 80, Safari 16.4, Firefox 113 or newer).",
  async start() {
    const source = new Blob([await unpack("runtime")], { type: "text/javascript" });
    const ort = await import(URL.createObjectURL(source));
    ort.env.wasm.numThreads = 1; // more threads need HTTP headers, and a file has none
    ort.env.wasm.wasmBinary = (await unpack("wasm")).buffer;
    const session = await ort.InferenceSession.create(await unpack("model"), { executionProviders: ["wasm"] });
    Object.assign(engine, { ort, session });
  },
  run: (given) => engine.session.run(Object.fromEntries(inputs.map((spec, i) =>
    [spec.name, new engine.ort.Tensor(spec.dtype, given[i], [1, ...spec.shape])]))),
};
