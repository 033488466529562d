/** The program of the published package `@recordhub/check-platform`: `recordhub check-platform` without the hub. */
import { assertOptionsKnown, parseArguments } from './arguments.ts'
import { checkPlatform } from './check-platform.ts'
import { checkPlatformHelp } from './help.ts'
import { print, printError, runProgram } from './program.ts'
import { VERSION } from './version.ts'

runProgram(async (args) => {
  const parsed = parseArguments(args)
  if (parsed.version) print(VERSION)
  else if (parsed.help || args.length === 0) print(checkPlatformHelp())
  else {
    assertOptionsKnown({ ...parsed, positionals: ['check-platform'] })
    return checkPlatform(parsed, print, printError)
  }
  return 0
})
