import { Group, Paper, SegmentedControl, SimpleGrid, Text } from '@mantine/core'
import type { HourOfStatistics, MinuteOfStatistics, Snapshot } from '@recordhub/protocol'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { getQuery } from '../../api/get-query.ts'
import { Section } from '../../components/section.tsx'
import { formatCount, formatNumber, formatShort } from '../../lib/format.ts'
import { type UrlState, useUrlState } from '../../lib/url-state.ts'
import {
  axisTop,
  type Bar,
  ofHour,
  RANGES,
  type Range,
  rangeOf,
  spanOf,
  sumOf,
  toBars,
} from './number-series.ts'
import classes from './overview.module.css'

/** Pushes and pulled changes, each on its own scale, with a range. */
export function Numbers({ current }: { current: Snapshot }) {
  const [state, change] = useUrlState()
  const range = rangeOf(state['range'])
  const { count, perBar } = RANGES[range]
  const isHour = range === '1h'
  const hours = useQuery({
    ...getQuery<{ hours: HourOfStatistics[] }>('GET /api/v1/statistics', {
      query: { hours: String(count) },
      live: true,
    }),
    // The snapshot contains the last day.
    enabled: range === '7d' || range === '30d',
  })
  const minutes = useQuery({
    ...getQuery<{ minutes: MinuteOfStatistics[] }>('GET /api/v1/statistics/minutes', {
      live: true,
    }),
    enabled: isHour,
  })
  const read = isHour ? minutes : hours
  const counts = isHour
    ? minutes.data?.minutes
    : (range === '24h' ? current : hours.data)?.hours.map(ofHour)
  const bars = toBars(counts ?? [], perBar)
  const isPartial = isHour && bars.length * perBar < count
  const start = bars[0] ? labelOf(bars[0].at, range) : 'now'
  const unit = isPartial && counts ? `${RANGES[range].unit}, since ${start}` : RANGES[range].unit
  const { since } = spanOf(bars, 0)
  const rejected = sumOf(bars, 'rejected')
  const failed = sumOf(bars, 'pulls_failed')
  /** The sum of a kind; no number before there is one. */
  const total = (kind: 'pushes' | 'pulled') => (
    <b>{counts ? formatNumber(sumOf(bars, kind)) : read.error ? '—' : '…'}</b>
  )
  return (
    <Section
      title="Numbers"
      mt="lg"
      end={
        <SegmentedControl
          ml="auto"
          size="xs"
          aria-label="Range"
          value={range}
          onChange={(chosen) =>
            change({ range: chosen === '24h' ? null : chosen }, { replace: true })
          }
          data={Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))}
        />
      }
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Chart
          bars={bars}
          range={range}
          unit={unit}
          label={({ pushes, rejected: count }) =>
            `${formatCount(pushes, 'push', 'pushes')}, ${formatNumber(count)} rejected`
          }
          countOf={(bar) => bar.pushes}
          rejectedIn={(bar) => bar.rejected}
          listOf={(span) => ({ to: '/dashboard/log', search: { kind: 'push', ...span } })}
        >
          <Link
            to="/dashboard/log"
            search={{ kind: 'push', since }}
            className={classes['plain']}
            title="Accepted pushes. The log has the rejected ones, too"
          >
            {total('pushes')} {sumOf(bars, 'pushes') === 1 ? 'push' : 'pushes'}
          </Link>
          {rejected === 0 ? (
            counts && <span>0 rejected</span>
          ) : (
            <Link
              to="/dashboard/inbox"
              search={{ tab: 'rejected', state: 'all', since }}
              className={`${classes['plain']} ${classes['orange']}`}
              title={
                isHour
                  ? 'Rejected pushes'
                  : 'Rejected pushes, and pulled records when they were first rejected'
              }
            >
              {formatNumber(rejected)} rejected
            </Link>
          )}
        </Chart>
        <Chart
          bars={bars}
          range={range}
          unit={unit}
          label={({ pulled, pulls, pulls_failed: count }) =>
            `${formatCount(pulled, 'record')} changed by ${formatCount(pulls, 'pull')}${
              count > 0 ? `, ${formatNumber(count)} failed` : ''
            }`
          }
          countOf={(bar) => bar.pulled}
          hasFailed={(bar) => bar.pulls_failed > 0}
          listOf={(span) => ({ to: '/dashboard/pulls', search: span })}
        >
          <span>
            <Link
              to="/dashboard/pulls"
              search={{ only: 'changed', since }}
              className={classes['plain']}
            >
              {total('pulled')} {sumOf(bars, 'pulled') === 1 ? 'record' : 'records'} changed
            </Link>{' '}
            by{' '}
            <Link to="/dashboard/pulls" search={{ since }} className={classes['plain']}>
              {counts ? formatCount(sumOf(bars, 'pulls'), 'pull') : 'pulls'}
            </Link>
          </span>
          {failed > 0 && (
            <Link
              to="/dashboard/pulls"
              search={{ only: 'failed', since }}
              className={`${classes['plain']} ${classes['red']}`}
              title="Pulls that could not read all modules"
            >
              {formatNumber(failed)} failed
            </Link>
          )}
        </Chart>
      </SimpleGrid>
    </Section>
  )
}

/** The number of labels below a chart, besides *now*. */
const LABELS = 4

function Chart(props: {
  bars: readonly Bar[]
  range: Range
  unit: string
  label: (bar: Bar) => string
  countOf: (bar: Bar) => number
  rejectedIn?: (bar: Bar) => number
  /** Marked below the axis, which has another unit. */
  hasFailed?: (bar: Bar) => boolean
  /** The list of what a bar counts. */
  listOf: (span: ReturnType<typeof spanOf>) => {
    to: '/dashboard/log' | '/dashboard/pulls'
    search: UrlState
  }
  children: React.ReactNode
}) {
  const { bars, range, unit, label, countOf, listOf, children } = props
  const { rejectedIn = () => 0, hasFailed = () => false } = props
  const top = axisTop(Math.max(0, ...bars.map((bar) => countOf(bar) + rejectedIn(bar))))
  const heightOf = (value: number) => `${(100 * value) / top}%`
  const step = bars.length / LABELS
  const marks = Array.from(
    { length: LABELS },
    (_, index) => bars[Math.floor(index * step)]?.at ?? '',
  )
  return (
    <Paper withBorder component="figure" m={0} p="md">
      <Group
        component="figcaption"
        gap="2px 12px"
        align="baseline"
        c="var(--text-2)"
        className={classes['figure'] ?? ''}
      >
        {children}
        <Text span ml="auto" size="xs" c="var(--text-3)" visibleFrom="sm">
          {unit}
        </Text>
      </Group>
      <div className={classes['plot']}>
        <span className={classes['tick']} style={{ top: -6 }}>
          {formatShort(top)}
        </span>
        <span className={classes['tick']} style={{ top: 42 }}>
          {formatShort(top / 2)}
        </span>
        {bars.map((bar, index) => {
          const look = {
            className: classes['bar'] ?? '',
            title: `${labelOf(bar.at, range)}: ${label(bar)}`,
          }
          const [count, rejected] = [countOf(bar), rejectedIn(bar)]
          if (count + rejected === 0 && !hasFailed(bar)) return <span key={bar.at} {...look} />
          return (
            <Link key={bar.at} {...listOf(spanOf(bars, index))} {...look}>
              {rejected > 0 && (
                <i data-state="rejected" style={{ height: heightOf(rejected), minHeight: 3 }} />
              )}
              {count > 0 && <i style={{ height: heightOf(count), minHeight: 1 }} />}
              {hasFailed(bar) && <i data-state="failed" />}
            </Link>
          )
        })}
      </div>
      <Group
        justify="space-between"
        gap={0}
        mt={8}
        pr={36}
        fz="xs"
        c="var(--text-3)"
        wrap="nowrap"
        aria-hidden
      >
        {marks.map((at, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a label has no other identity.
          <span key={index}>{at === '' ? '' : labelOf(at, range)}</span>
        ))}
        <span>now</span>
      </Group>
    </Paper>
  )
}

function labelOf(at: string, range: Range): string {
  return new Intl.DateTimeFormat('en-US', RANGES[range].at).format(new Date(at))
}
