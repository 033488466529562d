/** The program of the package `@recordhub/check-platform`: `recordhub check-platform` without the hub. */
import { parseArguments } from './arguments.ts'
import { checkPlatform } from './check-platform.ts'
import { checkPlatformHelp } from './help.ts'
import { complain, print, runProgram } from './run-program.ts'
import { VERSION } from './version.ts'

runProgram(async (args) => {
  const asked = parseArguments(args)
  if (asked.version) print(VERSION)
  else if (asked.help || args.length === 0) print(checkPlatformHelp())
  else return checkPlatform(asked, print, complain)
  return 0
})
