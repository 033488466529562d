/** Runs programs of PostgreSQL as a user that they accept; they end with this process. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'

export type User = { name: string; uid: number; gid: number }

export type ServerProcess = {
  /** Resolves to a description of the exit when the process and its children have ended. */
  ended: Promise<string>
  /** Its output. */
  said(): string
  /** Resolves when its output contains the text. */
  says(words: string): Promise<void>
  signal(signal: NodeJS.Signals): void
  /** Sends SIGKILL to the process and its children. */
  killAll(): void
  /** Sets whether it keeps this process alive; initially it does. */
  hold(held: boolean): void
}

/** The environment without the settings of the user; messages are in English. */
const ENVIRONMENT = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' }

/** The number of characters of output that are kept for error messages. */
const MEMORY = 10_000

/**
 * $0 is the folder, $@ the command. The test process holds the other end of descriptor 3.
 * If it closes without input, that process has ended, so the script stops the server and deletes its
 * folder. The shell executes the command, so that the command has the process id that was spawned.
 */
const SUPERVISE = `
ulimit -c 0
(
  if ! read -r over <&3; then
    kill -s QUIT $$
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

/** The user of the server: that of this process (null), but never root, which PostgreSQL rejects. */
export function serverUser(): User | null {
  if (process.getuid?.() !== 0) return null
  for (const name of ['nobody', 'postgres']) {
    const { stdout, status } = spawnSync('id', ['-u', name], { encoding: 'utf8' })
    if (status !== 0) continue
    const gid = Number(execFileSync('id', ['-g', name], { encoding: 'utf8' }))
    return { name, uid: Number(stdout), gid }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is no user nobody or postgres')
}

/** The output of a short command, or null if that user cannot run it. */
export function tryCommand(command: string, args: string[], user: User | null): string | null {
  const options = { cwd: '/', env: ENVIRONMENT, encoding: 'utf8', ...identity(user) } as const
  const { status, stdout } = spawnSync(command, args, options)
  return status === 0 ? stdout : null
}

/**
 * Runs a command that stores its data in `data` in the folder; its output is written to `postgres.log`.
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
    // A separate session: Ctrl-C only stops the tests, and the server stops after them.
    detached: true,
    ...identity(user),
  })
  const sockets = child.stdio.filter((stream) => stream instanceof Socket)
  const lifeline = sockets.at(-1)
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-MEMORY)
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
    said: () => output,
    says: (words) =>
      new Promise((resolve) => {
        child.stderr?.on('data', function look() {
          if (!output.includes(words)) return
          child.stderr?.off('data', look)
          resolve()
        })
      }),
    signal: (signal) => void child.kill(signal),
    killAll() {
      // Another process may have its number by now.
      if (child.exitCode !== null || child.signalCode !== null) return
      const started = startedBy(child.pid)
      child.kill('SIGKILL')
      for (const pid of started) killIfThere(pid)
    },
    hold(held) {
      for (const handle of [child, ...sockets]) held ? handle.ref() : handle.unref()
    },
  }
}

function identity(user: User | null) {
  return user ? { uid: user.uid, gid: user.gid } : {}
}

/** If the system does not report it, the processes of a server detect that their parent has ended. */
function startedBy(pid: number | undefined): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
