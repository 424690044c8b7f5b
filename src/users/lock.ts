/** Counts a lock by what has set it: failed attempts, for a while, or the request of somebody who may. */
export type CountLock = (by: "attempts" | "request") => void;
