/** Formats the result of simulations, and looks for a smaller simulation with the same failure. */
import {
  INGREDIENTS,
  type Ingredient,
  runSimulation,
  type SimulationOptions,
  type SimulationResult,
} from './run.ts'
import type { Template } from './template.ts'

/** The number of events before a failure that a report shows. */
const SHOWN_EVENTS = 40

/** The command that repeats a simulation. */
export function formatCommand(
  { seed, length = 1, without = [] }: SimulationOptions,
  engine: Template['engine'],
): string {
  const options = [
    ...(engine === 'postgres' ? ['--postgres'] : []),
    `--seed ${seed}`,
    ...(length === 1 ? [] : [`--length ${length}`]),
    ...without.map((ingredient) => `--without ${ingredient}`),
  ]
  return `npm run simulate -- ${options.join(' ')}`
}

/** What failed, the last events before it, and the command that repeats it. */
export function formatFailure(options: SimulationOptions, result: SimulationResult): string {
  const { failure, trace } = result
  if (!failure) return `Seed ${result.seed}: everything holds`
  const events = trace.slice(-SHOWN_EVENTS).map((event) => `  ${event}`)
  return [
    `Seed ${result.seed} failed at step ${failure.step}: ${failure.message}`,
    `The last ${events.length} events (seconds of virtual time):`,
    ...events,
    failure.stack,
    `Repeat it with: ${formatCommand(options, result.engine)}`,
  ].join('\n')
}

/** Leaves out ingredients and shortens the simulation as long as it fails. */
export async function shrink(
  template: Template,
  options: SimulationOptions,
): Promise<{ options: SimulationOptions; result: SimulationResult }> {
  let best = { options, result: await runSimulation(template, options) }
  const tryOptions = async (smaller: SimulationOptions) => {
    const result = await runSimulation(template, smaller)
    if (result.failure && result.steps < best.result.steps) best = { options: smaller, result }
  }
  for (const ingredient of INGREDIENTS) {
    const without: Ingredient[] = [...(best.options.without ?? []), ingredient]
    await tryOptions({ ...best.options, without })
  }
  for (let parts = 8; parts > 0; parts -= 1) {
    const length = Number((((best.options.length ?? 1) * parts) / 9).toFixed(3))
    await tryOptions({ ...best.options, length })
  }
  return best
}
