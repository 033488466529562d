/** A hub with a defect in one of its stores. */
import type { Storage } from '../../src/storage/port/storage.ts'
import type { Defect } from './run.ts'

type BreakableStore = 'records' | 'pulls' | 'missing' | 'digests' | 'rejectedPushes'

/** @param replace returns the methods that behave wrongly. */
export function withStore<Name extends BreakableStore>(
  name: Name,
  replace: (store: Storage[Name]) => Partial<Storage[Name]>,
): Defect {
  return {
    breakStorage: (storage) => ({
      ...storage,
      [name]: { ...storage[name], ...replace(storage[name]) },
    }),
  }
}
