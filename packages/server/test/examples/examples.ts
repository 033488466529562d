/** How each example of the guide is run here, and why some cannot be run. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { GuideLanguage } from '../../src/features/guide/filter-by-language.ts'
import { findLaravel, layOutLaravel } from './laravel-app.ts'
import { compileSpring, findSpring, SPRING_COMMANDS } from './spring-app.ts'

export type Commands = { serve?: string; push?: string }

export type Example = {
  language: GuideLanguage
  /** What is missing on this machine; null if the example can be run. */
  lack: () => string | null
  /** Prepares what a developer would have installed in the folder, besides the files of the guide. */
  layOut?: (folder: string) => void
  /** Builds the files of the guide before they run. */
  build?: (folder: string) => void
  /** Replaces commands of the guide that cannot be run here. */
  commands?: Commands
  /** The part of the guide that is not tested even so. */
  untried?: string
  /** The example whose endpoints are used, if this one has none. */
  servedBy?: GuideLanguage
  /** Pushes from a queue, whose worker keeps running and continues after a rejection. */
  isQueue?: true
  /**
   * Keeps pushes in an outbox: it reports a rejected push and continues with the others, and without arguments it sends
   * what is in the outbox.
   */
  isOutbox?: true
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

export const EXAMPLES: readonly Example[] = [
  {
    language: 'node',
    lack: () => null,
    layOut: linkModules,
  },
  {
    language: 'kit',
    lack: () =>
      existsSync(join(ROOT, 'packages/platform-kit/dist/index.js'))
        ? null
        : 'the kit is not built: npm run build',
    layOut: linkModules,
    isOutbox: true,
  },
  {
    language: 'curl',
    lack: () =>
      answers('curl', ['-sS', '-o', '/dev/null', '-w', '%header{x}', 'file:///dev/null'])
        ? null
        : 'there is no curl 7.84 or later',
    servedBy: 'node',
    layOut: linkModules,
  },
  {
    language: 'php',
    lack: () => lackOfPhp('curl', 'pdo_sqlite'),
    layOut: limitPhp,
    isOutbox: true,
  },
  {
    language: 'laravel',
    lack: () => lackOfPhp('mbstring', 'curl', 'pdo_sqlite') ?? findLaravel(),
    layOut: layOutLaravel,
    isQueue: true,
    untried: 'it ran on the Laravel of Debian, 8.83; `install:api` of later ones was not run',
  },
  {
    language: 'python',
    lack: () =>
      findPython() ? null : 'there is no Python with fastapi, uvicorn and httpx (python3-…)',
    layOut(folder) {
      mkdirSync(join(folder, 'bin'))
      const script = `#!/bin/sh\nexec ${findPython()} "$@"\n`
      writeFileSync(join(folder, 'bin', 'python3'), script, { mode: 0o755 })
    },
    isOutbox: true,
  },
  {
    language: 'csharp',
    lack: () => (answers('dotnet', ['--version']) ? null : 'there is no .NET (dotnet)'),
    layOut(folder) {
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
    lack: findSpring,
    build: compileSpring,
    commands: SPRING_COMMANDS,
    isOutbox: true,
    untried:
      'it ran on the Spring of Debian, 4.3, in Tomcat 9; neither Spring Boot 3 nor the commands of Maven were run',
  },
]

function lackOfPhp(...extensions: string[]): string | null {
  const wanted = extensions.map((name) => `extension_loaded('${name}')`).join(' && ')
  const test = `exit(PHP_VERSION_ID >= 80200 && ${wanted} ? 0 : 1);`
  return answers('php', ['-r', test])
    ? null
    : `there is no PHP 8.2 or later with ${extensions.join(', ')} (php-cli, php-…)`
}

/** Has the example run with the extensions that the guide requires and no others. */
function limitPhp(folder: string): void {
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
        existsSync(program) && answers(program, ['-c', 'import fastapi, uvicorn, httpx']),
    )
}

function linkModules(folder: string): void {
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

function answers(program: string, args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}
