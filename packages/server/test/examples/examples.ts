/** The examples of the guide: the programs that they need, their preparation and their commands. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GuideLanguage } from '@recordhub/protocol/constants'
import { createLaravelApp, findMissingLaravel } from './laravel-app.ts'
import { compileSpring, findMissingSpring, SPRING_COMMANDS } from './spring-app.ts'

export type Commands = { serve?: string; push?: string }

export type Example = {
  language: GuideLanguage
  /** Returns the programs that are missing on this machine; null if the example can be run. */
  findMissing: () => string | null
  /** Creates the files that a developer has in the folder besides those of the guide. */
  prepare?: (folder: string) => void
  /** Builds the files of the guide before they run. */
  build?: (folder: string) => void
  /** Replaces commands of the guide that cannot be run on this machine. */
  commands?: Commands
  /** The part of the guide that is not tested on this machine. */
  untested?: string
  /** The example whose endpoints are used, if this one has none. */
  servedBy?: GuideLanguage
  /** Pushes from a queue, whose worker runs until it is stopped and continues after a rejection. */
  isQueue?: true
  /**
   * Stores pushes in an outbox: it reports a rejected push and continues with the others, and without arguments it sends
   * the pushes in the outbox.
   */
  isOutbox?: true
  /** Sends versions, a digest and reads of some prefixes. */
  hasDigest?: true
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

export const EXAMPLES: readonly Example[] = [
  {
    language: 'node',
    findMissing: () => null,
    prepare: linkModules,
  },
  {
    language: 'kit',
    findMissing: () =>
      existsSync(join(ROOT, 'packages/platform-kit/dist/index.js'))
        ? null
        : 'the kit is not built: npm run build',
    prepare: linkModules,
    isOutbox: true,
    hasDigest: true,
  },
  {
    language: 'curl',
    findMissing: () =>
      succeeds('curl', ['-sS', '-o', '/dev/null', '-w', '%header{x}', 'file:///dev/null'])
        ? null
        : 'curl 7.84 or later is not installed',
    servedBy: 'node',
    prepare: linkModules,
  },
  {
    language: 'php',
    findMissing: () => findMissingPhp('curl', 'pdo_sqlite'),
    prepare: limitPhpExtensions,
    isOutbox: true,
    hasDigest: true,
  },
  {
    language: 'laravel',
    findMissing: () => findMissingPhp('mbstring', 'curl', 'pdo_sqlite') ?? findMissingLaravel(),
    prepare: createLaravelApp,
    isQueue: true,
    untested: 'it ran on the Laravel of Debian, 8.83; `install:api` of later ones was not run',
  },
  {
    language: 'python',
    findMissing: () =>
      findPython() ? null : 'Python with fastapi, uvicorn and httpx is not installed (python3-…)',
    prepare(folder) {
      mkdirSync(join(folder, 'bin'))
      const script = `#!/bin/sh\nexec ${findPython()} "$@"\n`
      writeFileSync(join(folder, 'bin', 'python3'), script, { mode: 0o755 })
    },
    isOutbox: true,
    hasDigest: true,
  },
  {
    language: 'csharp',
    findMissing: () =>
      succeeds('dotnet', ['--version']) ? null : '.NET is not installed (dotnet)',
    prepare(folder) {
      for (const [template, name] of [
        ['web', 'platform'],
        ['console', 'push'],
      ] as const) {
        execFileSync('dotnet', ['new', template, '--output', name], { cwd: folder, stdio: 'pipe' })
      }
    },
  },
  {
    language: 'java',
    findMissing: findMissingSpring,
    build: compileSpring,
    commands: SPRING_COMMANDS,
    isOutbox: true,
    untested:
      'it ran on the Spring of Debian, 4.3, in Tomcat 9; neither Spring Boot 3 nor the commands of Maven were run',
  },
]

function findMissingPhp(...extensions: string[]): string | null {
  const conditions = extensions.map((name) => `extension_loaded('${name}')`).join(' && ')
  const test = `exit(PHP_VERSION_ID >= 80200 && ${conditions} ? 0 : 1);`
  return succeeds('php', ['-r', test])
    ? null
    : `PHP 8.2 or later is not installed with ${extensions.join(', ')} (php-cli, php-…)`
}

/** Limits PHP to the extensions that the guide requires. */
function limitPhpExtensions(folder: string): void {
  mkdirSync(join(folder, 'bin'))
  const program = execFileSync('sh', ['-c', 'command -v php'], { encoding: 'utf8' }).trim()
  const extensions = ['curl', 'pdo', 'pdo_sqlite'].map((name) => `-d extension=${name}`).join(' ')
  const script = `#!/bin/sh\nexec ${program} -n ${extensions} "$@"\n`
  writeFileSync(join(folder, 'bin', 'php'), script, { mode: 0o755 })
}

function findPython(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin']
  return folders
    .map((folder) => join(folder, 'python3'))
    .find(
      (program) =>
        existsSync(program) && succeeds(program, ['-c', 'import fastapi, uvicorn, httpx']),
    )
}

function linkModules(folder: string): void {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

function succeeds(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}
