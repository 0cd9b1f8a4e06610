/** The part of an answer of Python that concerns other tabs on the same project. */
export interface Elsewhere {
  /** Whether another tab changed this project, and the user has yet to choose between the two. */
  elsewhere?: boolean;
}
