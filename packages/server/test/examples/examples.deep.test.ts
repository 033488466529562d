/** Runs the examples of the guide as documented, with a real hub, if their programs are installed. */
import { join } from 'node:path'
import { test } from 'node:test'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import { signIn } from '../helpers/process/operator.ts'
import { createSandbox, PROCESS_TEST } from '../helpers/process/sandbox.ts'
import { EXAMPLES } from './examples.ts'
import { tryExample } from './try-example.ts'

test('the examples of the guide work as documented', PROCESS_TEST, async (t) => {
  const sandbox = createSandbox(t)
  const { address } = await sandbox.startHub()
  const hub = { operator: await signIn(address), sandbox }
  for (const example of EXAMPLES) {
    const { language, findMissing } = example
    const skip = findMissing() ?? false
    await t.test(GUIDE_LANGUAGES[language], { skip }, async (t) => {
      const workspace = { folder: join(sandbox.folder, language), count: 500 }
      await tryExample(t, hub, example, workspace)
    })
  }
})
