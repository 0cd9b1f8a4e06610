// ---- the engine: the server that this page came from, by POST predict
const engine = {
  where: "on this server",
  needs: "",
  async start() {},
  async run(given) {
    const plain = inputs.map((spec, i) => [spec.name, Array.from(given[i], spec.dtype === "bool" ? Boolean : Number)]);
    const asked = { samples: [Object.fromEntries(plain)], prepared: true, raw: true };
    let response;
    try {
      response = await fetch("predict", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(asked) });
    } catch {
      throw new Error("the server does not answer. Is it still running?");
    }
    const said = await response.json();
    if (!response.ok) throw new Error(`${said.error.message} ${said.error.hint}`);
    return Object.fromEntries(Object.entries(said.predictions[0]).map(([name, { output }]) =>
      [name, { dims: output.shape, data: Float32Array.from(output.data, (value) => value ?? NaN) }]));
  },
};
