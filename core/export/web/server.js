// ---- the engine: the server of this page, by POST predict
const engine = {
  where: "on this server",
  needs: "",
  async start() {},
  async run(given) {
    const plain = inputs.map((spec, i) => [spec.name, Array.from(given[i], spec.dtype === "bool" ? Boolean : Number)]);
    const request = { samples: [Object.fromEntries(plain)], prepared: true, raw: true };
    let response;
    try {
      response = await fetch("predict", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(request) });
    } catch {
      throw new Error("the server does not answer. Is it still running?");
    }
    const answer = await response.json();
    if (!response.ok) throw new Error(`${answer.error.message} ${answer.error.hint}`);
    return Object.fromEntries(Object.entries(answer.predictions[0]).map(([name, { output }]) =>
      [name, { dims: output.shape, data: Float32Array.from(output.data, (value) => value ?? NaN) }]));
  },
};
