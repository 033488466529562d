/** The runtimes besides Node.js that the kit supports, from the npm registry. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type Runtime = {
  name: string
  version: string
  args: string[]
  /** Matches the line with the port that the runtime prints when it listens. */
  listening: RegExp
}

const LISTENING = /^listens at (\d+)$/

export const RUNTIMES: readonly Runtime[] = [
  { name: 'bun', version: '1.4.5', args: ['run', 'bun.mjs'], listening: LISTENING },
  {
    name: 'deno',
    version: '2.9.6',
    args: ['run', '--allow-net', '--allow-read', '--allow-write', '--allow-sys', 'deno.mjs'],
    listening: LISTENING,
  },
  {
    name: 'workerd',
    version: '1.20261117.1',
    args: ['serve', '--control-fd=1', 'workerd.capnp'],
    listening: /^{"event":"listen".*"port":(\d+)}$/,
  },
]

/** @returns the address of the platform that the runtime starts from its file in `project`. */
export async function startRuntime(
  t: { after: (cleanUp: () => unknown) => void },
  runtime: Runtime,
  project: string,
): Promise<string> {
  const program = join(project, 'node_modules', '.bin', runtime.name)
  const child = spawn(program, runtime.args, { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  t.after(async () => {
    child.kill()
    await ended
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, port] = runtime.listening.exec(line) ?? []
    if (port) return `http://127.0.0.1:${port}`
  }
  throw new Error(`${runtime.name} ended before it accepted connections`)
}
