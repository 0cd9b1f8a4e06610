/** The settings of a block: those that matter first, the others folded below; help for the one looked at. */

import { useState } from "react";
import { useStore } from "zustand";
import { useEditor } from "../hooks/useEditor";
import { mainSettings, same } from "../model/catalogue";
import type { Finding, NodeAnnotation, SettingSpec, Settings } from "../protocol";
import { prefer, preferences } from "../store/preferences";
import { settingHelp } from "../store/settingHelp";
import { SettingField } from "./SettingField";

interface Props {
  id: string;
  specs: SettingSpec[];
  given: Settings;
  note?: NodeAnnotation;
}

export function SettingForm({ id, specs, given, note }: Props) {
  const [main, rest] = mainSettings(specs);
  const field = (spec: SettingSpec) => (
    <SettingField key={spec.name} id={id} spec={spec} value={given[spec.name]} inferred={note?.inferred?.[spec.name]} />
  );
  return (
    <section className="section">
      <h3>Settings</h3>
      {main.length > 0 && <div className="form">{main.map(field)}</div>}
      {rest.length > 0 && (
        <More id={id} rest={rest} given={given}>
          <div className="form">{rest.map(field)}</div>
        </More>
      )}
    </section>
  );
}

interface MoreProps extends Pick<Props, "id" | "given"> {
  rest: readonly SettingSpec[];
  children: React.ReactNode;
}

/** Open where it was left open, and by itself where one of its settings is not as usual, or wrong. */
function More({ id, rest, given, children }: MoreProps) {
  const wished = useStore(preferences, (s) => s.moreSettings);
  const wrong = useEditor((s) => {
    const mine = (found: Finding) => found.node === s.path + id && rest.some(({ name }) => isAbout(found, name));
    return s.annotations.errors.some(mine);
  });
  const set = rest.some((spec) => isSet(spec, given));
  const [closed, setClosed] = useState(false);
  const open = wished || (!closed && (set || wrong));
  return (
    <details
      className="more"
      open={open}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open === open) return; // as we drew it
        setClosed(!currentTarget.open);
        prefer({ moreSettings: currentTarget.open });
      }}
    >
      <summary data-testid="more-settings">More settings ({rest.length})</summary>
      {children}
    </details>
  );
}

/** Whether a setting is neither torch's default nor what a fresh block begins with. */
const isSet = ({ name, default: usual, start }: SettingSpec, given: Settings): boolean =>
  given[name] !== undefined && !same(given[name], usual) && !same(given[name], start);

/** Whether an error is about a setting: its sentence or one of its fixes names it. */
const isAbout = ({ message, hint, fixes }: Finding, name: string): boolean =>
  new RegExp(`\\b${name}\\b`).test(`${message} ${hint}`) ||
  fixes.some(({ edits }) => edits.some((edit) => edit.op === "set" && Object.hasOwn(edit.settings, name)));

/** The help of the setting that is pointed at, or written in, at the foot of the inspector. */
export function SettingHelpLine() {
  const { pointed, focused } = useStore(settingHelp);
  const shown = pointed ?? focused;
  return (
    <div className="side-about" aria-hidden="true" data-testid="setting-help" data-quiet={!shown || undefined}>
      {shown && (
        <>
          <strong>{shown.name}</strong>
          <span>{shown.text}</span>
        </>
      )}
    </div>
  );
}
