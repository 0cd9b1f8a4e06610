/** Whether the student asked the system for less motion: then the view jumps instead of gliding. */
export const prefersReducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
