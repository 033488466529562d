#!/usr/bin/env node
import { runProgram } from './run-program.mjs'

await runProgram('biome', 'biome')
