import { Button, Paper, Text } from '@mantine/core'
import type { InboxItem, Snapshot } from '@recordhub/protocol'
import { IconCheck } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Dot } from '../../components/dot.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { OperatorName } from '../../components/operator-name.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Ago, Clock } from '../../components/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { inboxQuery, usePutAside } from '../inbox/inbox-query.ts'
import { ItemTarget } from '../inbox/item-target.tsx'
import { ItemMenu } from '../inbox/put-aside.tsx'
import { TestButton } from '../platforms/test-button.tsx'
import { PullNowButton } from '../pulls/pull-now-button.tsx'
import classes from './overview.module.css'
import { PlatformName } from './platform-name.tsx'
import { DidYouMean, type Proposed, ReplayProposed, useProposed } from './replay-proposed.tsx'

const SHOWN = 3

/** The colour of what fails is red, that of a decision or a date orange. */
export function colorOf(group: InboxItem['group']): 'red' | 'orange' {
  return group === 'failing' ? 'red' : 'orange'
}

/** The first items of the inbox, with their actions. */
export function InboxItems({ inbox: { open, is_complete, items } }: { inbox: Snapshot['inbox'] }) {
  const shown = items.slice(0, SHOWN)
  const rest = items.slice(SHOWN)
  return (
    <Paper withBorder mt="md" component="section" aria-label={TEXTS.inbox}>
      {open === 0 ? (
        <Nothing />
      ) : (
        <ul className={classes['list']}>
          {shown.map((item) => (
            <Item key={item.key} item={item} />
          ))}
          {open > shown.length && (
            <li className={classes['footLine']}>
              <Link to="/dashboard/inbox" style={{ color: 'var(--accent-text)' }}>
                {is_complete ? '' : 'at least '}
                {formatNumber(open - shown.length)} more in the inbox
              </Link>
              <span className={classes['grow']}>
                {rest.map(({ key, title }, index) => (
                  <span key={key}>
                    {index > 0 && ' · '}
                    <MessageText message={title} />
                  </span>
                ))}
              </span>
            </li>
          )}
        </ul>
      )}
    </Paper>
  )
}

function Nothing() {
  const { data } = useQuery(inboxQuery)
  const aside = (data?.items ?? []).flatMap(({ put_aside }) => put_aside ?? [])
  const [last] = aside.toSorted((one, other) => other.at.localeCompare(one.at))
  return (
    <div className={`${classes['footLine']} ${classes['calm']}`}>
      <IconCheck size={16} color="var(--green)" aria-hidden />
      <Text span inherit fw={600} c="var(--text)">
        Nothing needs you.
      </Text>
      {last && (
        <>
          <span className={classes['grow']}>
            The last item was {last.as} <Ago at={last.at} /> by <OperatorName by={last.by} />.
          </span>
          <PageLink to="/dashboard/inbox" search={{ aside: '1' }} inherit underline="always">
            Put aside
          </PageLink>
        </>
      )}
    </div>
  )
}

function Item({ item }: { item: InboxItem }) {
  const { title, reason, since, platform, group } = item
  const proposed = useProposed(item)
  return (
    <li className={classes['item']}>
      <Dot color={colorOf(group)} />
      <div>
        <Link {...targetOf(item)} className={`${classes['what']} ${classes['plain']}`}>
          <MessageText message={title} />
        </Link>
        <div className={`${classes['why']} ${classes['dots']}`}>
          {platform && (
            <span>
              <PlatformName id={platform.id}>{platform.title}</PlatformName>
            </span>
          )}
          {since !== null && (
            <span>
              since <Clock at={since} />
            </span>
          )}
          <span>
            {proposed ? <DidYouMean {...proposed.proposal} /> : <MessageText message={reason} />}
          </span>
        </div>
      </div>
      <Actions item={item} proposed={proposed} />
    </li>
  )
}

/** Where an item is shown in full. */
function targetOf({ key }: InboxItem) {
  return { to: '/dashboard/inbox' as const, search: { item: key } }
}

/** The recommended action of an item that is decided in the inbox. Of others it leads to their place. */
const IN_INBOX: Partial<Record<InboxItem['kind'], string>> = {
  missing_review: 'Review',
  rejected: 'Review',
  drift: 'Show',
  disagreement: 'Show',
}

/** The recommended action first; it has a border. */
function Actions({ item, proposed }: { item: InboxItem; proposed: Proposed | null }) {
  const { kind, platform } = item
  const canOperate = useHasRole('operator')
  const link = proposed && canOperate ? 'Edit' : IN_INBOX[kind]
  const named = platform && { id: platform.id, display_title: platform.title }
  return (
    <div className={classes['actions']}>
      {kind === 'pulls_failing' && named && (
        <>
          <TestButton platform={named} label={TEXTS.test} size="xs" leftSection={null} />
          <PullNowButton platform={named} />
        </>
      )}
      {proposed && canOperate && <ReplayProposed group={proposed} />}
      {link ? (
        <LinkButton size="xs" variant="default" {...targetOf(item)}>
          {link}
        </LinkButton>
      ) : (
        kind !== 'pulls_failing' && <ItemTarget item={item} size="xs" />
      )}
      {kind === 'alert' && canOperate && <AcknowledgeButton item={item} />}
      <ItemMenu item={item} />
    </div>
  )
}

/** Puts an item aside that nothing else can be done about here. */
function AcknowledgeButton({ item }: { item: InboxItem }) {
  const { putAside } = usePutAside()
  return (
    <Button size="xs" variant="default" onClick={() => void putAside(item, null)}>
      {TEXTS.acknowledge}
    </Button>
  )
}
