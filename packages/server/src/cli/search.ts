import type { Config } from '../config/settings.ts'
import { withStorage } from './open-storage.ts'

/** `recordhub search rebuild`: works next to a running hub, which indexes all records again. */
export async function rebuildSearch(config: Config, print: (line: string) => void): Promise<void> {
  await withStorage(config, ({ searchIndex }) => searchIndex.rebuildTextIndex())
  print('The search index is built again, by the running hub or at the next start of one.')
}
