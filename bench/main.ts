/**
 * `npm run bench -- push [seconds a round]` and `-- pull [records]`, on both engines or the one that is
 * named last (`sqlite`, `postgres`): measures of a person, not tests. Only ratios of one run count.
 */
import { ENGINES } from './engines.ts'
import { benchPull } from './pull.ts'
import { benchPush } from './push.ts'
import { benchRecords } from './records.ts'

const [name = '', ...rest] = process.argv.slice(2)
const amount = rest.find((word) => /^\d+$/.test(word))
const named = ENGINES.filter((engine) => {
  const word = rest.find((one) => /^[a-z]/i.test(one))
  return word === undefined || engine.toLowerCase().startsWith(word.toLowerCase())
})
for (const engine of named) {
  if (name === 'push') await benchPush(engine, Number(amount ?? 4))
  else if (name === 'pull') await benchPull(engine, Number(amount ?? 300_000))
  else if (name === 'records') await benchRecords(engine, Number(amount ?? 1_000_000))
  else {
    process.stderr.write(
      'Say which: npm run bench -- push [seconds], npm run bench -- pull [records]\n',
    )
    process.exitCode = 2
    break
  }
}
