/** Runs the examples of the guide as documented, with a real hub, if their programs are installed. */
import { join } from 'node:path'
import { test } from 'node:test'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import type { GuideLanguage } from '../../src/features/guide/filter-by-language.ts'
import { signIn } from '../helpers/process/operator.ts'
import { createSandbox, PROCESS_TEST } from '../helpers/process/sandbox.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { EXAMPLES } from './examples.ts'
import { tryExample } from './try-example.ts'

/** The other languages run in the deep tier. */
const QUICK: readonly GuideLanguage[] = ['node']

test('the examples of the guide work as documented', PROCESS_TEST, async (t) => {
  const sandbox = createSandbox(t)
  const { address } = await sandbox.startHub()
  const hub = { operator: await signIn(address), sandbox }
  const examples = EXAMPLES.filter(({ language }) => isDeep || QUICK.includes(language))
  for (const example of examples) {
    const { language, findMissing } = example
    const skip = findMissing() ?? false
    await t.test(GUIDE_LANGUAGES[language], { skip }, async (t) => {
      const workspace = { folder: join(sandbox.folder, language), count: rounds(10, 500) }
      await tryExample(t, hub, example, workspace)
    })
  }
})
