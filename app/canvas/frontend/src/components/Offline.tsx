/** Python does not answer: what that means for the student's work, and nothing else. */

import { useEditor } from "../hooks/useEditor";

export function Offline() {
  const offline = useEditor((s) => s.status === "offline");
  const asked = useEditor((s) => s.rescue !== null || s.elsewhere);
  if (!offline || asked) return null;
  return (
    <div className="banner" role="status" data-testid="offline">
      Not connected. Your edits are kept here and sent when the server is back.
    </div>
  );
}
