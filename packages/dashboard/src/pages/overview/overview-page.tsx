import { Box, Paper, Skeleton, Stack, Title } from '@mantine/core'
import type { Snapshot } from '@recordhub/protocol'
import { IconAlertCircle, IconCircleCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { allCompletenessQuery } from '../../api/completeness.ts'
import { snapshot } from '../../api/live.ts'
import { useTabTitle } from '../../components/page-header.tsx'
import { Section } from '../../components/section.tsx'
import { Ago, Clock } from '../../components/time.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { useStore } from '../../lib/store.ts'
import { TEXTS } from '../../texts.ts'
import { PullBars } from '../platforms/platform-state.tsx'
import { type PlatformSums, sumByPlatform, total } from './completeness-sums.ts'
import { FirstSteps, useShowsFirstSteps } from './first-steps.tsx'
import { colorOf, InboxItems } from './inbox-items.tsx'
import { Numbers } from './numbers.tsx'
import classes from './overview.module.css'
import { PlatformName } from './platform-name.tsx'
import { Platforms } from './platforms.tsx'
import { SyncCard } from './sync-card.tsx'
import { UnequalModules } from './unequal-modules.tsx'

const WIDTH = '72.5rem'

/** Is everything fine, what must I do, where, and how much. */
export function OverviewPage() {
  const current = useStore(snapshot)
  const { data: modules } = useQuery(allCompletenessQuery())
  const showsFirstSteps = useShowsFirstSteps()
  useTabTitle(TEXTS.overview)
  if (current === null) return <Loading />
  const hasPlatforms = current.platforms.length > 0
  if (!hasPlatforms && showsFirstSteps) {
    return (
      <Box maw="45rem" mx="auto">
        <header className={classes['state']}>
          <Title order={1}>Connect your first platform</Title>
          <p>The steps to a hub that runs by itself. Each one ticks itself when it is done.</p>
        </header>
        {current.inbox.open > 0 && <InboxItems inbox={current.inbox} />}
        <FirstSteps current={current} />
      </Box>
    )
  }
  const sums = modules ? sumByPlatform(modules, current.platforms) : null
  return (
    <Box maw={WIDTH} mx="auto">
      <State current={current} sums={sums} />
      <InboxItems inbox={current.inbox} />
      {showsFirstSteps && (
        <Section title="First steps" mt="lg">
          <FirstSteps current={current} />
        </Section>
      )}
      {modules && <UnequalModules modules={modules} platforms={current.platforms} />}
      <SyncCard />
      <Platforms current={current} sums={sums} />
      <Numbers current={current} />
    </Box>
  )
}

type Sums = ReadonlyMap<string, PlatformSums>

/** The sentence that says first whether everything is fine, and what it is based on. */
function State({ current, sums }: { current: Snapshot; sums: Sums | null }) {
  const { open, items } = current.inbox
  const all = sums && total(sums.values())
  const isAllHere = all !== null && isComplete(all)
  const color = open === 0 ? 'green' : colorOf(items[0]?.group ?? 'soon')
  const Icon = open > 0 ? IconAlertCircle : IconCircleCheck
  return (
    <header className={classes['state']}>
      <Title order={1}>
        <Icon size={26} stroke={2} color={`var(--${color})`} aria-hidden />
        {open > 0
          ? `${formatCount(open, 'thing needs', 'things need')} you`
          : isAllHere
            ? 'Everything is here'
            : 'Nothing needs you'}
      </Title>
      <p>
        {all ? <Sentence current={current} sums={sums} all={all} /> : <Skeleton h={22} w={420} />}
      </p>
    </header>
  )
}

function isComplete({ modules, failed, unread, unequal }: PlatformSums): boolean {
  return modules > 0 && failed.modules + unread + unequal === 0
}

/** Platforms that are named in the sentence. */
const MAX_NAMED = 2

function Sentence({ current, sums, all }: { current: Snapshot; sums: Sums; all: PlatformSums }) {
  const failed = current.platforms.flatMap((platform) => {
    const { failed: one } = sums.get(platform.platform_name) ?? {}
    return one && one.modules > 0 ? [{ platform, ...one }] : []
  })
  const named = failed.slice(0, MAX_NAMED)
  return (
    <>
      {all.comparedAt === null ? (
        'No module has been compared with its platform yet.'
      ) : (
        <>
          <b>
            {formatNumber(all.here)} of {formatNumber(all.listed)}
          </b>{' '}
          {isComplete(all) ? 'records, verified' : 'listed records are here, compared'}{' '}
          <Ago at={all.comparedAt} />
          {all.newerPushes > 0 &&
            `, and ${formatCount(all.newerPushes, 'newer push', 'newer pushes')}`}
          .
        </>
      )}{' '}
      {named.map(({ platform, records, verifiedAt }) => (
        <span key={platform.id}>
          <PlatformName id={platform.id}>{platform.display_title}</PlatformName> (
          {formatCount(records, 'record')}) was{' '}
          {verifiedAt === null ? (
            'never verified'
          ) : (
            <>
              last verified at <Clock at={verifiedAt} />
            </>
          )}
          .{' '}
        </span>
      ))}
      {failed.length > named.length &&
        `${formatCount(failed.length - named.length, 'more platform')} could not be read.`}
      {all.held > 0 && (
        <>
          <Link to="/dashboard/reverts" search={{ tab: 'holds' }} className={classes['plain']}>
            {formatCount(all.held, 'record has', 'records have')} values that a revert holds
          </Link>
          .{' '}
        </>
      )}
      {all.accepted > 0 && (
        <Link to="/dashboard/inbox" search={{ tab: 'rejected' }} className={classes['plain']}>
          {formatCount(all.accepted, 'accepted exception')}
        </Link>
      )}
    </>
  )
}

/** Everything in its final height, with grey bars for what is not known yet. */
function Loading() {
  return (
    <Box maw={WIDTH} mx="auto" aria-busy="true">
      <div className={classes['state']} role="status" aria-label={TEXTS.loading}>
        <Skeleton h={24} w={320} my={6} />
        <Skeleton h={10} w={520} mt={16} mb={6} />
      </div>
      <Paper withBorder mt="md" component="ul" className={classes['list'] ?? ''}>
        {[260, 360, 320].map((width) => (
          <li key={width} className={classes['item']}>
            <Skeleton circle h={8} w={8} />
            <Stack gap={10}>
              <Skeleton h={10} w={width} />
              <Skeleton h={10} w={width + 60} />
            </Stack>
            <Skeleton h={28} w={72} visibleFrom="sm" />
          </li>
        ))}
      </Paper>
      <SyncCard />
      <Section title={TEXTS.platforms} mt="lg">
        <Paper withBorder component="ul" className={classes['list'] ?? ''} aria-hidden>
          {[120, 130, 140, 90, 110].map((width) => (
            <li key={width} className={classes['platform']} data-state="healthy">
              <Skeleton circle h={8} w={8} />
              <Skeleton h={10} w={width} />
              <PullBars pulls={[]} />
              <Skeleton h={10} w={110} className={classes['complete'] ?? ''} />
              <Skeleton h={10} w={140} className={classes['synced'] ?? ''} />
              <Skeleton h={10} w={70} className={classes['pushed'] ?? ''} />
            </li>
          ))}
        </Paper>
      </Section>
    </Box>
  )
}
