/**
 * When what the component drew is over.
 *
 * Streamlit calls a component for each answer and ends a call that a newer one overtook while it
 * still loaded: then the place on the page stays, and what the newer call draws into. It is over
 * when the place has left the page.
 */

const LATER_MS = 500;

/** What Streamlit is given to end a call. place: what it draws into. */
export function ending(place: Pick<Node, "isConnected">, over: () => void): () => void {
  const look = () => {
    if (!place.isConnected) over();
    return !place.isConnected;
  };
  return () => void (look() || setTimeout(look, LATER_MS));
}
