import { cpuUsage } from 'node:process'

/** Runs a floor, and prints its seconds and processor seconds for `runFloor`. */
export async function measure(work: () => Promise<void>): Promise<void> {
  const [begun, before] = [performance.now(), cpuUsage()]
  await work()
  const { user, system } = cpuUsage(before)
  const seconds = (performance.now() - begun) / 1000
  process.stdout.write(JSON.stringify({ seconds, cpuSeconds: (user + system) / 1e6 }))
}
