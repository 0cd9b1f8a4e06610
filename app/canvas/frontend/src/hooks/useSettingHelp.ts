/** The row of a field whose help is shown while somebody points at it, or writes in it. */

import { useEffect } from "react";
import { settingHelp } from "../store/settingHelp";

const NONE = { pointed: null, focused: null };

export function useSettingHelp(name: string, text: string) {
  useEffect(() => () => settingHelp.setState(NONE), []);
  useEffect(() => {
    const { pointed, focused } = settingHelp.getState();
    if (pointed?.name === name) settingHelp.setState({ pointed: { name, text } });
    if (focused?.name === name) settingHelp.setState({ focused: { name, text } });
  }, [name, text]);
  const help = { name, text };
  return {
    onPointerEnter: () => settingHelp.setState({ pointed: help }),
    onPointerLeave: () => settingHelp.setState({ pointed: null }),
    onFocus: () => settingHelp.setState({ focused: help }),
    onBlur: () => settingHelp.setState({ focused: null }),
  };
}
