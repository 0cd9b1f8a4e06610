/** Verbs that arrange the whole drawing, and how it is looked at, behind one button of the bar. */

import { ARRANGE_MENU } from "../actions/actions";
import { usePanels } from "../hooks/usePanels";
import { useEditor } from "../hooks/useEditor";
import { ActionVerb, BarMenu } from "./BarMenu";

export function ArrangeMenu() {
  return (
    <BarMenu id="arrange" kind="menu" label="Arrange" icon="tidy" text={<span className="tool-text">Arrange</span>}>
      {(close) => <Groups close={close} />}
    </BarMenu>
  );
}

function Groups({ close }: { close: () => void }) {
  useEditor((s) => s.selectedNodes);
  useEditor((s) => s.direction);
  usePanels();
  return ARRANGE_MENU.map((actions) => (
    <div key={actions[0]?.name} role="group" className="menu-group">
      {actions.map((action) => (
        <ActionVerb key={action.name} action={action} close={close} />
      ))}
    </div>
  ));
}
