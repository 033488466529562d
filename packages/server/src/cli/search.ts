import type { CommandContext } from './arguments.ts'
import { withStorage } from './open-storage.ts'

/** `recordhub search rebuild`: works next to a running hub, which indexes all records again. */
export async function rebuildSearch({ config, print }: CommandContext): Promise<void> {
  await withStorage(config, ({ searchIndex }) => searchIndex.rebuildTextIndex())
  print('The search index is built again, by the running hub or at the next start of one.')
}
