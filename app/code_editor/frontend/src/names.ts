/** Completion of the names of torch: after `torch.`, `nn.`, `F.` and `math.`, and of what is there. */

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import names from "./torch_names.json";

const MODULES: Record<string, string[]> = names;
const THERE: Completion[] = ["torch", "nn", "F", "math"].map((label) => ({ label, type: "namespace" }));
THERE.push({ label: "Tensor", type: "class" });

/** How a name is shown: classes begin with a capital, as torch has it. */
function option(label: string): Completion {
  return { label, type: /^[A-Z]/.test(label) ? "class" : "function" };
}

/** Names for what stands before the cursor; null where there are none to offer. */
export function torchNames(context: CompletionContext): CompletionResult | null {
  const dotted = context.matchBefore(/\b(torch|nn|F|math|Tensor)\.\w*/);
  if (dotted) {
    const [module, start] = dotted.text.split(".") as [string, string];
    const options = (MODULES[module] ?? []).map(option);
    return { from: dotted.to - start.length, options, validFor: /^\w*$/ };
  }
  const word = context.matchBefore(/[\w.]+/);
  if ((!word && !context.explicit) || word?.text.includes(".")) return null;
  return { from: word?.from ?? context.pos, options: THERE, validFor: /^\w*$/ };
}
