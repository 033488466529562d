import type { Config } from '../config/settings.ts'
import { findPlatform } from './guide.ts'
import { withStorage } from './open-storage.ts'

/** `recordhub sql-views`: prints statements that create a view per module for one connection of a reader. */
export async function printSqlViews(
  config: Config,
  { platform }: Record<string, string>,
  print: (line: string) => void,
): Promise<void> {
  const found = platform === undefined ? null : await findPlatform(config, platform)
  await withStorage(config, async ({ sqlViews }) => {
    for await (const { statement } of sqlViews.defineViews(found?.id ?? null))
      print(`${statement};`)
  })
}
