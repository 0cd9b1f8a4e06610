import { expect, test } from "vitest";
import { SHORTCUTS } from "../src/actions/actions";

/** The help of the pages lists the keys from this file; `npm run keys` renews it. */
test("the checked-in list of keys is what the canvas listens to", async () => {
  const keys = SHORTCUTS.map(([title, rows]) => ({ title, rows: rows.map(({ caps, text }) => ({ caps, text })) }));
  await expect(`${JSON.stringify(keys, null, 2)}\n`).toMatchFileSnapshot("../../keys.json");
});
