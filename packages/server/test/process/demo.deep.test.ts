import { signIn } from '../helpers/process/operator.ts'
import { test } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'

test('the platforms of the demo exit when the demo is killed', async (_, { spawn, folder }) => {
  const demo = spawn(['demo'], { env: { PORT: '0', TMPDIR: folder } })
  await demo.untilPrinted(/^Ctrl-C /)
  const open = demo.stdout.find((line) => line.includes('/dashboard')) ?? ''
  const operator = await signIn(new URL(open.trim().split(/\s+/)[1] ?? '').origin, {
    email: 'demo@recordhub.example',
    password: 'three sample platforms',
  })
  const platforms = await operator.platforms()
  await demo.stop('SIGKILL')
  for (const { source_base_url } of platforms) {
    await until(
      () =>
        fetch(source_base_url).then(
          () => null,
          () => true,
        ),
      `no response from ${source_base_url}`,
    )
  }
})
