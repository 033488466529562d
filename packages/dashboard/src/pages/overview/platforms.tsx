import { Box, Paper, Text } from '@mantine/core'
import type { PlatformSummary, RecentPull, Snapshot } from '@recordhub/protocol'
import { IconPlus } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Dot } from '../../components/dot.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { Section } from '../../components/section.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../lib/format.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { HEALTHS, type Health } from '../platforms/platform-list.ts'
import { BARS, Complete, HEALTH_COLORS, LastPush, PullBars } from '../platforms/platform-state.tsx'
import { TestButton } from '../platforms/test-button.tsx'
import { PullNowButton } from '../pulls/pull-now-button.tsx'
import type { PlatformSums } from './completeness-sums.ts'
import classes from './overview.module.css'
import { PlatformName } from './platform-name.tsx'

/** Platforms that are shown even if they are healthy. */
const SHOWN = 12

const STATES: Readonly<Record<Health, string>> = {
  failing: 'failing',
  needs_attention: 'to look at',
  new: 'new',
  healthy: 'healthy',
  inactive: 'inactive',
}

/** A line for each platform, the worst first. */
export function Platforms(props: {
  current: Snapshot
  sums: ReadonlyMap<string, PlatformSums> | null
}) {
  const {
    current: { platforms, recent_pulls, stats },
    sums,
  } = props
  const canOperate = useHasRole('operator')
  const sorted = platforms.toSorted(
    (one, other) =>
      HEALTHS.indexOf(one.health.state) - HEALTHS.indexOf(other.health.state) ||
      one.display_title.localeCompare(other.display_title),
  )
  const bad = sorted.filter(({ health: { state } }) => state === 'failing').length
  const shown = sorted.slice(0, Math.max(SHOWN, bad))
  const rest = stats.platforms - shown.length
  const pulls = new Map(recent_pulls.map((one) => [one.platform_id, one.pulls]))
  return (
    <Section
      title={TEXTS.platforms}
      mt="lg"
      end={
        <>
          <span>{countsOf(sorted)}</span>
          {canOperate && (
            <LinkButton
              ml="auto"
              size="xs"
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              to="/dashboard/platforms/new"
            >
              {TEXTS.registerAPlatform}
            </LinkButton>
          )}
        </>
      }
    >
      <Paper withBorder>
        <ul className={classes['list']}>
          {shown.length > 0 && (
            <Box component="li" visibleFrom="sm" aria-hidden>
              <div className={`${classes['platform']} ${classes['columns']}`}>
                <span />
                <span>Platform</span>
                <span>Last {BARS} pulls</span>
                <span>Complete</span>
                <span>{TEXTS.latestSync}</span>
                <span className={classes['pushed']}>Last push</span>
              </div>
            </Box>
          )}
          {shown.map((platform) => (
            <PlatformLine
              key={platform.id}
              platform={platform}
              pulls={pulls.get(platform.id) ?? []}
              sums={sums?.get(platform.platform_name) ?? null}
            />
          ))}
          {rest > 0 && (
            <li className={classes['footLine']}>
              <Link to="/dashboard/platforms" style={{ color: 'var(--accent-text)' }}>
                {formatCount(rest, 'more platform')}
              </Link>
            </li>
          )}
          {platforms.length === 0 && (
            <li className={classes['footLine']}>{TEXTS.noPlatformsRegistered}</li>
          )}
        </ul>
      </Paper>
    </Section>
  )
}

/** `1 failing, 7 healthy`. */
function countsOf(platforms: readonly PlatformSummary[]): string {
  return HEALTHS.flatMap((state) => {
    const { length } = platforms.filter(({ health }) => health.state === state)
    return length === 0 ? [] : [`${length} ${STATES[state]}`]
  }).join(', ')
}

function PlatformLine(props: {
  platform: PlatformSummary
  pulls: readonly RecentPull[]
  sums: PlatformSums | null
}) {
  const { platform, pulls, sums } = props
  const { id, display_title, health, latest_sync_at, status } = platform
  return (
    <li className={classes['platform']} data-state={health.state}>
      <Dot color={HEALTH_COLORS[health.state]} />
      <span className={classes['name']}>
        <PlatformName id={id}>{display_title}</PlatformName>
      </span>
      <PullBars pulls={pulls} />
      <span className={classes['complete']}>
        {status === 'inactive' && 'Inactive, '}
        <Complete platform={platform} sums={sums} />
      </span>
      <span className={classes['synced']}>
        <Text span inherit hiddenFrom="sm">
          {TEXTS.latestSync}{' '}
        </Text>
        <Time at={latest_sync_at} />
      </span>
      <span className={classes['pushed']}>
        <Text span inherit hiddenFrom="sm">
          push{' '}
        </Text>
        <LastPush platform={platform} />
      </span>
      <Box component="span" visibleFrom="sm" style={{ justifySelf: 'end' }}>
        {status === 'active' &&
          (health.state === 'failing' ? (
            <TestButton
              platform={platform}
              label={TEXTS.test}
              size="xs"
              variant="subtle"
              color="gray"
              leftSection={null}
            />
          ) : (
            <PullNowButton platform={platform} isIcon />
          ))}
      </Box>
    </li>
  )
}
