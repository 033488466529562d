import { Box, Button, Menu, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import type { InboxItem } from '@recordhub/protocol'
import { IconDots, IconFilter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { Dot, type DotColor } from '../../components/dot.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FilterChips, FilterSelect } from '../../components/filter-chip.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Keys } from '../../components/keys.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { MessageText } from '../../components/message-text.tsx'
import { PageHeader, useTabTitle } from '../../components/page-header.tsx'
import { RemovedFilterPlatform } from '../../components/removed-platform.tsx'
import { Ago } from '../../components/time.tsx'
import { isElsewhere } from '../../lib/is-elsewhere.ts'
import { changeUrlState, useUrlState } from '../../lib/url-state.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { AlertsTab } from '../activity/alerts/alerts-tab.tsx'
import { MissingTab } from '../activity/missing/missing-tab.tsx'
import { PushErrorsTab } from '../activity/push-errors/push-errors-tab.tsx'
import { RejectedDrawer } from '../activity/rejected/rejected-drawer.tsx'
import { RejectedTab } from '../activity/rejected/rejected-tab.tsx'
import { choicesOf, filterItems } from './filter-items.ts'
import classes from './inbox.module.css'
import { inboxQuery, usePutAside } from './inbox-query.ts'
import { ItemDetail } from './item-detail.tsx'
import { keepOrder } from './keep-order.ts'
import { type List, listOf } from './lists.ts'

const GROUPS: Readonly<Record<InboxItem['group'], { label: string; color: DotColor }>> = {
  failing: { label: 'Failing', color: 'red' },
  decision: { label: 'Needs a decision', color: 'orange' },
  soon: { label: 'Soon', color: 'grey' },
}

const LISTS: Readonly<Record<List, { title: string; Panel: () => ReactNode }>> = {
  alerts: { title: 'All alerts', Panel: AlertsTab },
  missing: { title: 'All reviews of missing records', Panel: MissingTab },
  rejected: { title: 'All rejected pushes', Panel: RejectedTab },
  'push-errors': { title: 'All push errors', Panel: PushErrorsTab },
}

/** What waits for a person, with its actions; with `?tab=`, the complete lists. */
export function InboxPage() {
  const [state] = useUrlState()
  const list = listOf(state)
  return list ? <PastPage list={list} /> : <Waiting />
}

/** A complete list behind the inbox, with what is over. */
function PastPage({ list }: { list: List }) {
  const { title, Panel } = LISTS[list]
  return (
    <>
      <PageHeader title={title}>
        <LinkButton to="/dashboard/inbox" variant="default" size="xs">
          {TEXTS.inbox}
        </LinkButton>
      </PageHeader>
      <RemovedFilterPlatform />
      <Panel key={list} />
    </>
  )
}

function Waiting() {
  useTabTitle(TEXTS.inbox)
  const [{ aside }] = useUrlState()
  return (
    <Loaded
      query={useQuery(inboxQuery)}
      skeleton={<ListSkeleton />}
      errorTitle="The inbox could not be read"
    >
      {({ items, is_complete }) => (
        <Items
          key={aside ?? ''}
          items={items.filter(({ put_aside }) => (put_aside !== null) === (aside === '1'))}
          count={items.filter(({ put_aside }) => put_aside === null).length}
          isComplete={is_complete}
        />
      )}
    </Loaded>
  )
}

/** The list and the opened item side by side. The order of the list does not change while it is read. */
function Items(props: { items: InboxItem[]; count: number; isComplete: boolean }) {
  const { items: found, count, isComplete } = props
  const [state, change] = useUrlState()
  const { item: chosen, aside } = state
  const isFiltered = Boolean(state['kind'] || state['platform'])
  const [isFilterShown, setFilterShown] = useState(isFiltered)
  const [shownKeys, setShownKeys] = useState(() => found.map(({ key }) => key))
  const showNew = () => setShownKeys(found.map(({ key }) => key))
  const { shown, added } = keepOrder(found, shownKeys)
  const items = filterItems(shown, state)
  const canOperate = useHasRole('operator')
  const { putAside } = usePutAside()
  const detail = useRef<HTMLElement>(null)
  const [kept, setKept] = useState<InboxItem>()
  const waiting = chosen === undefined ? items[0] : shown.find(({ key }) => key === chosen)
  if (waiting && waiting !== kept) setKept(waiting)
  // An item that is over stays open, with the result of what was done about it.
  const opened = waiting ?? (kept?.key === chosen ? kept : undefined)
  const open = (next: InboxItem | undefined) =>
    next && change({ item: next.key, changes: null }, { replace: true })
  const move = (by: number) => open(items[(waiting ? items.indexOf(waiting) : -1) + by])
  const ofPage = (run: () => unknown) => (event: KeyboardEvent) => {
    // A table of the item moves between its rows.
    if (isElsewhere(event) || event.defaultPrevented) return
    event.preventDefault()
    run()
  }
  const acknowledge = () =>
    canOperate && waiting?.put_aside === null && void putAside(waiting, null)
  useHotkeys([
    ['ArrowDown', ofPage(() => move(1)), KEY],
    ['ArrowUp', ofPage(() => move(-1)), KEY],
    ['Enter', (event) => isOfList(event) && detail.current?.focus(), KEY],
    ['e', ofPage(acknowledge), KEY],
  ])
  return (
    <div className={classes['split']} {...(chosen === undefined ? {} : { 'data-open': true })}>
      <section className={classes['list']} aria-label="Items">
        <header className={classes['head']}>
          <Title order={1} fz="h2">
            {aside ? 'Put aside' : TEXTS.inbox}
          </Title>
          <Text size="sm" c="dimmed" component="span">
            {`${items.length}${isComplete ? '' : '+'}`}
          </Text>
          <span style={{ flex: 1 }} />
          {added.length > 0 && (
            <Button size="xs" variant="default" onClick={showNew}>
              {`+${added.length} new`}
            </Button>
          )}
          <IconButton
            label="Filter by kind and platform"
            aria-expanded={isFilterShown}
            onClick={() => setFilterShown(!isFilterShown)}
          >
            <IconFilter
              size={16}
              aria-hidden
              {...(isFiltered ? { color: 'var(--accent-text)' } : {})}
            />
          </IconButton>
          <Lists count={count} isAside={aside === '1'} />
        </header>
        {isFilterShown && <Filter items={found} />}
        {items.length === 0 && added.length === 0 && (
          <Nothing isAside={aside === '1'} isFiltered={isFiltered} />
        )}
        {items.map((item, position) => (
          <Entry
            key={item.key}
            item={item}
            isOpen={item === waiting}
            heading={items[position - 1]?.group === item.group ? null : GROUPS[item.group].label}
          />
        ))}
        <footer className={classes['hints']}>
          <span>
            <Keys names={['↑', '↓']} />
            move
          </span>
          <span>
            <Keys names={['Enter']} />
            open
          </span>
          {canOperate && (
            <span>
              <Keys names={['E']} />
              acknowledge
            </span>
          )}
        </footer>
      </section>
      <section className={classes['detail']} aria-label="Item" ref={detail} tabIndex={-1}>
        {opened ? (
          <ItemDetail key={opened.key} item={opened} isOver={!waiting} />
        ) : (
          chosen !== undefined && <Text c="dimmed">This item is over.</Text>
        )}
      </section>
      <RejectedDrawer />
    </div>
  )
}

function Filter({ items }: { items: InboxItem[] }) {
  const { kinds, platforms } = choicesOf(items)
  return (
    <Box px={24}>
      <FilterChips label="Filters">
        <FilterSelect label="Kind" name="kind" choices={kinds} />
        <FilterSelect label="Platform" name="platform" choices={platforms} />
      </FilterChips>
    </Box>
  )
}

function Entry(props: { item: InboxItem; isOpen: boolean; heading: string | null }) {
  const { item, isOpen, heading } = props
  const { key, title, reason, platform, group, since, last_at, put_aside } = item
  const [{ item: chosen, kind, platform: only }] = useUrlState()
  const at = last_at ?? since
  return (
    <>
      {heading !== null && (
        <Text size="xs" fw={500} c="var(--text-3)" px={24} pt={12} pb={4} lh="inherit">
          {heading}
        </Text>
      )}
      <Link
        to="/dashboard/inbox"
        search={changeUrlState({ kind, platform: only }, { aside: put_aside && '1', item: key })}
        // Back leads to the list, which is a page of its own on a phone.
        replace={chosen !== undefined}
        className={classes['entry']}
        {...(isOpen ? { 'aria-current': true } : {})}
      >
        <Dot color={GROUPS[group].color} />
        <span className={classes['what']}>{title}</span>
        <Ago at={at} />
        <span className={classes['why']}>
          {platform?.title ?? 'This hub'} · <MessageText message={reason} />
        </span>
      </Link>
    </>
  )
}

const KEY = { preventDefault: false }

/** Enter on a button presses it, and on a link of the item follows it. */
function isOfList({ target }: KeyboardEvent): boolean {
  return target instanceof Element && target.matches(`body, #main, .${classes['entry']}`)
}

/** The lists that are not on the page. */
function Lists({ count, isAside }: { count: number; isAside: boolean }) {
  const [, change] = useUrlState()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="subtle" color="gray" px={6} aria-label="Other lists">
          <IconDots size={16} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => change({ aside: isAside ? null : '1', item: null })}>
          {isAside ? `What waits (${count})` : 'Put aside'}
        </Menu.Item>
        <Menu.Divider />
        {Object.entries(LISTS).map(([tab, { title }]) => (
          <Menu.Item key={tab} onClick={() => change({ tab, item: null, aside: null, kind: null })}>
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Nothing({ isAside, isFiltered }: { isAside: boolean; isFiltered: boolean }) {
  if (isFiltered) return <EmptyState title="No such items">Choose another filter.</EmptyState>
  return isAside ? (
    <EmptyState title="Nothing is put aside">Acknowledged and snoozed items are here.</EmptyState>
  ) : (
    <EmptyState title="Nothing needs you">
      Failing platforms, missing records, rejected pushes and expiring keys appear here.
    </EmptyState>
  )
}

function ListSkeleton() {
  return (
    <Stack gap="md" maw={368}>
      {[1, 2, 3, 4, 5].map((row) => (
        <Skeleton key={row} height={40} />
      ))}
    </Stack>
  )
}
