/** `npm run bench -- push [seconds a round]`: measures of a person, not tests. Only ratios of one run count. */
import { benchPush } from './push.ts'

const [name = 'push', seconds = '4'] = process.argv.slice(2)
if (name === 'push') await benchPush(Number(seconds))
else {
  process.stderr.write(`There is no benchmark "${name}". There is: push\n`)
  process.exitCode = 2
}
