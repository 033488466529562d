/** Runs programs of PostgreSQL as a user that they accept, and stops them when this process ends. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'

export type User = { name: string; uid: number; gid: number }

export type ServerProcess = {
  /** Resolves when the process and its children have ended, with a description of the exit. */
  ended: Promise<string>
  /** The end of the output so far. */
  readOutput(): string
  /** Resolves when its output contains the text. */
  untilOutput(text: string): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Sends a signal to the process and then to its children. A stopped process starts no further ones. */
  signalAll(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Sets whether it keeps this process alive; by default it does. */
  setKeepAlive(isKeptAlive: boolean): void
}

/** The environment without the settings of the user; messages are in English. */
const ENVIRONMENT = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }

/** The number of characters of output that error messages can contain. */
const MAX_OUTPUT = 10_000

/**
 * $0 is the folder, $@ the command. The other end of descriptor 3 belongs to the test process. If it closes without
 * input, the test process has ended, so the script stops the server and deletes its folder. `exec` gives the command
 * the process id that was spawned.
 */
const SUPERVISE = `
ulimit -c 0
(
  if ! read -r over <&3; then
    kill -s QUIT $$
    kill -s CONT $$
    waited=0
    while [ -e "$0/data/postmaster.pid" ] && [ $waited -lt 100 ]; do
      sleep 0.1
      waited=$((waited + 1))
    done
    rm -rf -- "$0" || { sleep 1; rm -rf -- "$0"; }
  fi
) >/dev/null 2>&1 &
exec "$@" >&2 3<&-
`

/** The user of the server. Null is the user of this process; PostgreSQL does not run as root. */
export function serverUser(): User | null {
  if (process.getuid?.() !== 0) return null
  for (const name of ['nobody', 'postgres']) {
    const { stdout, status } = spawnSync('id', ['-u', name], { encoding: 'utf8' })
    if (status !== 0) continue
    const gid = Number(execFileSync('id', ['-g', name], { encoding: 'utf8' }))
    return { name, uid: Number(stdout), gid }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user nobody or postgres')
}

/** The output of a short command, or null if the user cannot run it. */
export function tryCommand(command: string, args: string[], user: User | null): string | null {
  const options = { cwd: '/', env: ENVIRONMENT, encoding: 'utf8', ...identity(user) } as const
  const { status, stdout } = spawnSync(command, args, options)
  return status === 0 ? stdout : null
}

/**
 * Runs a command that stores its data in `<folder>/data`. Its output is written to `<folder>/postgres.log`.
 * If this process ends first, the command is stopped and the folder deleted.
 */
export function superviseProcess(
  command: string[],
  { folder, user }: { folder: string; user: User | null },
): ServerProcess {
  const child = spawn('/bin/sh', ['-c', SUPERVISE, folder, ...command], {
    cwd: folder,
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    // In a separate session, so that Ctrl-C stops only the tests, and the server stops after them.
    detached: true,
    ...identity(user),
  })
  const sockets = child.stdio.filter((stream) => stream instanceof Socket)
  const lifeline = sockets.at(-1)
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-MAX_OUTPUT)
    appendFileSync(join(folder, 'postgres.log'), text)
  })
  lifeline?.on('error', () => {})
  child.on('exit', () => lifeline?.end('over\n', () => lifeline.destroy()))
  const ended = new Promise<string>((resolve) => {
    child.on('error', ({ message }) => resolve(`could not be run: ${message}`))
    child.on('close', (code, signal) => resolve(`ended with ${signal ?? code}`))
  })
  return {
    ended,
    readOutput: () => output,
    untilOutput: (text) =>
      new Promise((resolve) => {
        child.stderr?.on('data', function check() {
          if (!output.includes(text)) return
          child.stderr?.off('data', check)
          resolve()
        })
      }),
    signal: (signal) => void child.kill(signal),
    signalAll(signal) {
      // Another process may have the same id by now.
      if (child.exitCode !== null || child.signalCode !== null) return
      // The children of a killed process have another parent.
      const children = signal === 'SIGKILL' ? childrenOf(child.pid) : null
      child.kill(signal)
      for (const pid of children ?? childrenOf(child.pid)) signalIfRunning(pid, signal)
    },
    setKeepAlive(isKeptAlive) {
      for (const handle of [child, ...sockets]) isKeptAlive ? handle.ref() : handle.unref()
    },
  }
}

function identity(user: User | null) {
  return user ? { uid: user.uid, gid: user.gid } : {}
}

/** The child processes. Without /proc, the processes of a server detect that their parent has ended. */
function childrenOf(pid: number | undefined): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended.
  }
}
