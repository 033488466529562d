import type { RecentPull } from '@recordhub/protocol'
import { formatCode, formatTime } from '../../lib/format.ts'
import { pullStateLabel } from '../pulls/pull-labels.ts'
import { TEXTS } from './texts.tsx'

const COUNT = 30
const WIDTH = 6
const GAP = 2
const HEIGHT = 22

/** Color and height, so that the state does not depend on color alone. */
const BAR_STYLES: Readonly<Record<string, { fill: string; height: number }>> = {
  succeeded: { fill: 'var(--mantine-color-green-6)', height: 14 },
  attention: { fill: 'var(--mantine-color-orange-6)', height: 16 },
  partial: { fill: 'var(--mantine-color-yellow-6)', height: 18 },
  failed: { fill: 'var(--mantine-color-red-6)', height: 22 },
  timed_out: { fill: 'var(--mantine-color-red-6)', height: 22 },
  interrupted: { fill: 'var(--mantine-color-grape-6)', height: 18 },
  not_reached: { fill: 'var(--mantine-color-grape-6)', height: 18 },
  queued: { fill: 'var(--mantine-primary-color-filled)', height: 6 },
  running: { fill: 'var(--mantine-primary-color-filled)', height: 10 },
  cancelled: { fill: 'var(--mantine-color-gray-6)', height: 10 },
  skipped: { fill: 'var(--mantine-color-gray-6)', height: 6 },
}
const NONE = { fill: 'var(--mantine-color-default-border)', height: 4 }

/** The last 30 pulls of a platform, the latest at the right. */
export function PullBars({ pulls }: { pulls: RecentPull[] }) {
  const slots = Array.from({ length: COUNT }, (_, index) => pulls[COUNT - 1 - index] ?? null)
  return (
    <svg
      width="100%"
      height={HEIGHT}
      viewBox={`0 0 ${COUNT * (WIDTH + GAP) - GAP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={barsLabel(pulls)}
    >
      {slots.map((pull, index) => {
        const status = pull ? pullStateLabel(pull.state, pull).status : ''
        const { fill, height } = BAR_STYLES[status] ?? NONE
        return (
          <rect
            key={pull?.pull_id ?? `none ${index}`}
            x={index * (WIDTH + GAP)}
            y={HEIGHT - height}
            width={WIDTH}
            height={height}
            rx={1.5}
            fill={fill}
          >
            {pull && <title>{titleOf(pull)}</title>}
          </rect>
        )
      })}
    </svg>
  )
}

function titleOf(pull: RecentPull): string {
  const { pull_id, state, finished_at } = pull
  const end = finished_at ? `, ${formatTime(finished_at, { seconds: true })}` : ''
  return TEXTS.pullTooltip(pull_id, pullStateLabel(state, pull).label.toLowerCase(), end)
}

function barsLabel(pulls: RecentPull[]): string {
  if (pulls.length === 0) return TEXTS.noPullsYet
  const counts = Map.groupBy(pulls, (pull) =>
    pullStateLabel(pull.state, pull).status === 'attention'
      ? TEXTS.succeededWithIssues
      : formatCode(pull.state).toLowerCase(),
  )
  const labels = [...counts].map(([label, { length }]) => `${length} ${label}`)
  return TEXTS.pullBarsLabel(
    pulls.length === 1 ? TEXTS.onePull : TEXTS.pullsCount(pulls.length),
    labels.join(', '),
  )
}
