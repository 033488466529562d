/** Looks for the first simulation that finds a defect. */
import { type Defect, runSimulation, type SimulationOptions, type SimulationResult } from './run.ts'
import type { Template } from './template.ts'

/** More than the rarest of the defects needs. */
const MAX_SEEDS_UNTIL_FOUND = 200

export async function findDefect(
  template: Template,
  defect: Defect,
): Promise<{ options: SimulationOptions; result: SimulationResult }> {
  for (let seed = 1; seed <= MAX_SEEDS_UNTIL_FOUND; seed += 1) {
    const options = { seed, defect }
    const result = await runSimulation(template, options)
    if (result.failure) return { options, result }
  }
  throw new Error(`${MAX_SEEDS_UNTIL_FOUND} simulations did not find the defect`)
}
