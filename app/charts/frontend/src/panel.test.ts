import { expect, it } from "vitest";
import { inOrder } from "./panel";

const NAMES = ["r2", "lr", "accuracy", "loss", "iou"];

it("the loss and what a run is judged by stand first, the rest waits", () => {
  expect(inOrder(NAMES, "iou", 2)).toEqual({ main: ["loss", "iou"], aside: ["accuracy", "r2", "lr"] });
  expect(inOrder(NAMES, "iou", 3)).toEqual({ main: ["loss", "iou", "accuracy"], aside: ["r2", "lr"] });
  expect(inOrder(NAMES, "", 1)).toEqual({ main: ["loss", "accuracy"], aside: ["r2", "lr", "iou"] });
});

it("what is not drawn at once is lost nowhere", () => {
  const { main, aside } = inOrder(["lr", "loss"], "accuracy", 2);
  expect([...main, ...aside]).toEqual(["loss", "lr"]);
});
