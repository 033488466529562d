import type { CommandContext } from './arguments.ts'
import { findPlatform } from './guide.ts'
import { withStorage } from './open-storage.ts'

/** `recordhub sql-views`: prints statements that create a view per module for one connection of a reader. */
export async function printSqlViews({ config, options, print }: CommandContext): Promise<void> {
  const { platform } = options
  const found = platform === undefined ? null : await findPlatform(config, platform)
  await withStorage(config, async ({ sqlViews }) => {
    for await (const { statement } of sqlViews.defineViews(found?.id ?? null))
      print(`${statement};`)
  })
}
