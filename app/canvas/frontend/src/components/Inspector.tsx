/** The inspector: what is selected, the source, the problems. */

import type { KeyboardEvent } from "react";
import { useBench, useEditor } from "../hooks/useEditor";
import { useSample } from "../hooks/useSample";
import type { Tab } from "../store/slices/ui";
import { AutogradTab } from "./Autograd";
import { BlockTab } from "./BlockTab";
import { ProblemsTab } from "./ProblemsTab";
import { SettingHelpLine } from "./SettingForm";
import { SourceTab } from "./SourceTab";
import { Splitter } from "./Splitter";

const TABS: [Tab, string][] = [
  ["block", "Block"],
  ["source", "Source"],
  ["problems", "Problems"],
  ["autograd", "Autograd"],
];
/** When a tab stands there besides the one that is open: the bar says it where there are no problems. */
const SHOWN: Record<Tab, (now: { stepping: boolean; count: number }) => boolean> = {
  block: () => true,
  source: () => true,
  problems: ({ count }) => count > 0,
  autograd: ({ stepping }) => stepping,
};

export function Inspector() {
  const { editor } = useBench();
  const wanted = useEditor((s) => s.tab);
  const graph = useSample((s) => (s.open ? s.steps?.graph : undefined));
  const tab = wanted === "autograd" && !graph ? "block" : wanted;
  const chosen = useEditor((s) => s.selectedNodes.size);
  const errors = useEditor((s) => s.annotations.errors.length);
  const count = useEditor((s) =>
    Object.keys(s.drawing.graph.nodes).length ? s.annotations.errors.length + s.annotations.warnings.length : 0,
  );
  const tabs = TABS.filter(([name]) => name === tab || SHOWN[name]({ stepping: graph !== undefined, count }));
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? tabs.length - 1 : 0;
    if (!step) return;
    const next = tabs[(tabs.findIndex(([t]) => t === tab) + step) % tabs.length] as [Tab, string];
    editor.set({ tab: next[0] });
    event.currentTarget.querySelector<HTMLElement>(`[data-testid="tab-${next[0]}"]`)?.focus();
    event.stopPropagation();
  };
  return (
    <aside className="side" aria-label="Inspector">
      <Splitter />
      <div className="tabs" role="tablist" aria-label="Inspector" onKeyDown={onKey}>
        {tabs.map(([name, title]) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="side-panel"
            tabIndex={tab === name ? 0 : -1}
            data-testid={`tab-${name}`}
            onClick={() => editor.set({ tab: name })}
          >
            {title}
            {name === "problems" && count > 0 && (
              <span className="tab-count" data-level={errors ? "error" : "warning"}>
                {count}
              </span>
            )}
          </button>
        ))}
      </div>
      <div
        className="side-panel scroll"
        role="tabpanel"
        id="side-panel"
        aria-labelledby={`tab-${tab}`}
        tabIndex={0}
        data-tab={tab}
      >
        {tab === "block" && <BlockTab />}
        {tab === "source" && <SourceTab />}
        {tab === "problems" && <ProblemsTab />}
        {tab === "autograd" && graph && <AutogradTab graph={graph} />}
      </div>
      {tab === "block" && chosen === 1 && <SettingHelpLine />}
    </aside>
  );
}
