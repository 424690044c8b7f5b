export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Runs what has the same key one after another, in the order it came. */
export function turns(): Turns {
  const last = new Map<string, Promise<unknown>>();

  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve();
    const turn = before.then(work, work);
    last.set(key, turn);
    const leave = () => {
      if (last.get(key) === turn) last.delete(key);
    };
    turn.then(leave, leave);
    return turn;
  };
}

/** Without a queue, where what one request began may not be waited for by another. */
export const atOnce: Turns = (_, work) => work();
