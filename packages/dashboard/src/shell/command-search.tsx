import { Group, Kbd, Text, TextInput, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ConnectionCheck, ConnectionTest } from '@recordhub/protocol'
import {
  IconArrowBackUp,
  IconBookmark,
  IconDatabase,
  IconDownload,
  IconKeyboard,
  IconLogout,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlugConnected,
  IconPlus,
  IconSearch,
  IconSettings,
  IconSun,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { signOut } from '../api/account.ts'
import { snapshot } from '../api/live.ts'
import { callHubLines } from '../api/ndjson.ts'
import { hubSearchQuery, viewsQuery } from '../api/records.ts'
import { pauseSchedule } from '../api/schedule.ts'
import { hasRole, type Role, session } from '../api/session.ts'
import { attempt, notify } from '../components/confirm.tsx'
import { Dialog } from '../components/dialog.tsx'
import { matchWords } from '../lib/match-words.ts'
import { useStore } from '../lib/store.ts'
import { writeUrlState } from '../lib/url-state.ts'
import { alreadyRunningLabel } from '../pages/pulls/pull-labels.ts'
import { startPull } from '../pages/pulls/pull-now-button.tsx'
import { Marked } from '../pages/search/marked.tsx'
import { TEXTS } from '../texts.ts'
import { PAGES } from './navigation.tsx'
import classes from './shell.module.css'

const FIRST_FOUND = 5
const MAX_SHOWN = 6
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }

type Entry = {
  id: string
  label: string
  icon: typeof IconSearch
  /** What it is, on the right. */
  hint?: string
  /** Other words by which it is found. */
  also?: string
  /** Found only together with this word, because it changes something: a name alone opens, it does not pull. */
  verb?: string
} & ({ href: string } | { run: () => unknown })

/** Runs commands, and opens pages, platforms, views and records, found by a few letters. */
export function CommandSearch(props: {
  isOpen: boolean
  /** Another number for each opening, which begins without a text. */
  opening: number
  onClose: () => void
  onShowKeys: () => void
}) {
  const { isOpen, opening, onClose, onShowKeys } = props
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={640}
      yOffset="12vh"
      attributes={{ content: { 'aria-label': TEXTS.search } }}
    >
      <Palette key={opening} onClose={onClose} onShowKeys={onShowKeys} />
    </Dialog>
  )
}

function Palette({ onClose, onShowKeys }: { onClose: () => void; onShowKeys: () => void }) {
  const [text, setText] = useState('')
  const [query] = useDebouncedValue(text.trim(), 200)
  const [recent] = useState(readRecent)
  const navigate = useNavigate()
  const [index, setIndex] = useState(0)
  const [isEntered, setEntered] = useState(false)
  const listId = useId()
  const found = useQuery(hubSearchQuery(query, {}))
  const commands = useCommands(onShowKeys)
  const places = usePlaces()
  const matching = (entries: Entry[]) => entries.filter((entry) => matches(entry, text))
  const known = [...commands, ...places]
  const records =
    query === '' || text.trim() === '' ? [] : (found.data?.records.slice(0, FIRST_FOUND) ?? [])
  const groups: [string, Entry[]][] =
    text.trim() === ''
      ? [
          ['Recent', recent.flatMap((id) => known.find((one) => one.id === id) ?? [])],
          ['Commands', commands.filter(({ verb, id }) => !verb && !recent.includes(id))],
          ['Go to', places.filter(({ hint, id }) => !hint && !recent.includes(id))],
        ]
      : [
          ['Commands', matching(commands).slice(0, MAX_SHOWN)],
          ['Go to', matching(places).slice(0, MAX_SHOWN)],
          [
            TEXTS.records,
            [
              ...records.map((record) => ({
                id: `record ${record.record_id}`,
                label: record.full_name || record.reference_number,
                hint: `${record.reference_number}, ${record.module_name}`,
                icon: IconDatabase,
                href: `/dashboard/records${writeUrlState({ q: query, record: String(record.record_id) })}`,
              })),
              {
                id: 'everywhere',
                label: `Search everywhere for “${text.trim()}”`,
                icon: IconSearch,
                href: `/dashboard/search${writeUrlState({ query: text.trim() })}`,
              },
            ],
          ],
        ]
  const shown = groups.flatMap(([, entries]) => entries)
  const selected = shown[Math.min(index, shown.length - 1)]
  const optionId = (entry: Entry) => `${listId} ${entry.id}`.replaceAll(/\W/g, '-')
  const selectedId = selected && optionId(selected)
  useEffect(() => {
    if (selectedId) document.getElementById(selectedId)?.scrollIntoView({ block: 'nearest' })
  }, [selectedId])
  const submit = (entry: Entry | undefined, inNewTab: boolean) => {
    if (!entry) return
    onClose()
    const { id } = entry
    if (known.some((one) => one.id === id)) writeRecent([id, ...recent.filter((one) => one !== id)])
    if ('run' in entry) void attempt(entry.run)
    else if (inNewTab) window.open(entry.href)
    else void navigate({ href: entry.href })
  }
  const isSearching = text.trim() !== '' && (query !== text.trim() || found.isFetching)
  const isOfSearch = selected?.id === 'everywhere' || selected?.id.startsWith('record ') === true
  // Enter opens the first record of the whole text, even if it was pressed before the hub has responded.
  useEffect(() => {
    if (!isEntered || isSearching) return
    setEntered(false)
    submit(selected, false)
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if ((step === undefined && event.key !== 'Enter') || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (step === undefined) {
      if (index === 0 && isOfSearch && isSearching) setEntered(true)
      else submit(selected, event.ctrlKey || event.metaKey)
    } else setIndex((Math.min(index, shown.length - 1) + step + shown.length) % shown.length)
  }
  return (
    <>
      <TextInput
        data-autofocus
        variant="unstyled"
        size="lg"
        className={classes['query'] ?? ''}
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        rightSection={<Kbd size="xs">Esc</Kbd>}
        rightSectionWidth={52}
        placeholder="Search or run a command"
        aria-label="Commands, pages, platforms, records"
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={selectedId}
        autoComplete="off"
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          setEntered(false)
          setIndex(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={listId} aria-label="Found" className={classes['found']}>
        {groups
          .filter(([, entries]) => entries.length > 0)
          .map(([label, entries]) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is not part of a listbox.
            <div key={label} role="group" aria-label={label}>
              <Text
                size="xs"
                fw={500}
                c="var(--text-3)"
                px={8}
                pt={12}
                pb={4}
                lh="16px"
                aria-hidden
              >
                {label}
              </Text>
              {entries.map((entry) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the input has the focus and the keys.
                <div
                  key={entry.id}
                  id={optionId(entry)}
                  role="option"
                  aria-selected={entry === selected}
                  className={classes['entry']}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={({ ctrlKey, metaKey }) => submit(entry, ctrlKey || metaKey)}
                >
                  <entry.icon size={16} stroke={1.6} aria-hidden className={classes['symbol']} />
                  <Text span inherit truncate>
                    <Marked text={entry.label} ranges={matchWords(entry.label, text) ?? []} />
                  </Text>
                  <span className={classes['hint']}>{entry.hint}</span>
                </div>
              ))}
            </div>
          ))}
      </div>
      <Group
        gap={12}
        px="md"
        py={8}
        fz="xs"
        c="var(--text-3)"
        visibleFrom="sm"
        style={{ borderTop: '1px solid var(--line)' }}
      >
        <span>
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> move
        </span>
        <span>
          <Kbd size="xs">Enter</Kbd> run or open
        </span>
        <span>
          <Kbd size="xs">Ctrl Enter</Kbd> new tab
        </span>
        <Text span inherit ml="auto">
          <Kbd size="xs">?</Kbd> all shortcuts
        </Text>
      </Group>
    </>
  )
}

function matches({ label, also = '', verb }: Entry, text: string): boolean {
  const isNamed = matchWords(label, text) !== null || matchWords(also, text) !== null
  const words = text.trim().split(/\s+/)
  return isNamed && (verb === undefined || words.some((word) => matchWords(verb, word)))
}

/** What the operator may do. */
function useCommands(onShowKeys: () => void): Entry[] {
  const { operator } = useStore(session)
  const current = useStore(snapshot)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const themes = (['light', 'dark', 'auto'] as const).filter((scheme) => scheme !== colorScheme)
  const pull = async (path: string | undefined, done: string) => {
    const started = await startPull(path, path === undefined ? undefined : {})
    notify(started.isNew ? done : alreadyRunningLabel(started.pull, Date.now()))
  }
  const isPaused = current?.pull.schedule_paused === true
  const hasSchedule = isPaused || Boolean(current?.pull.next_run_at)
  const ofOperators: Entry[] = [
    {
      ...{ id: 'register', label: TEXTS.registerAPlatform, icon: IconPlus },
      href: '/dashboard/platforms/new',
    },
    {
      ...{ id: 'pull all', label: 'Pull all existing records', icon: IconDownload },
      run: () => pull(undefined, 'The pull of all platforms has started'),
    },
    ...(hasSchedule
      ? [
          {
            id: 'schedule',
            label: isPaused ? 'Resume the schedule' : 'Pause the schedule',
            icon: isPaused ? IconPlayerPlay : IconPlayerPause,
            run: async () => {
              await pauseSchedule(!isPaused)
              notify(isPaused ? 'The schedule is resumed' : 'The schedule is paused')
            },
          },
        ]
      : []),
    ...(current?.platforms ?? []).map(({ id, display_title, platform_name }) => ({
      ...{ id: `pull ${id}`, label: `Pull ${display_title} now`, icon: IconDownload },
      ...{ also: `pull ${platform_name}`, verb: 'pull' },
      run: () => pull(`/api/v1/platforms/${id}/pull`, `The pull of ${display_title} has started`),
    })),
    ...(current?.platforms ?? []).map(({ id, display_title, platform_name }) => ({
      ...{ id: `test ${id}`, label: `Test the connection of ${display_title}` },
      ...{ icon: IconPlugConnected, also: `test ${platform_name}`, verb: 'test connection' },
      run: () => testConnection(id, display_title),
    })),
    // A pull is chosen and reverted in the list.
    ...(current?.platforms ?? []).map(({ id, display_title, platform_name: platform }) => ({
      ...{ id: `revert ${id}`, label: `Revert a pull of ${display_title}…` },
      ...{ icon: IconArrowBackUp, also: `revert pull ${platform}`, verb: 'revert pull' },
      href: `/dashboard/pulls${writeUrlState({ only: 'changed', platform })}`,
    })),
  ]
  return [
    ...(hasRole(operator?.role, 'operator') ? ofOperators : []),
    ...themes.map((scheme) => ({
      ...{ id: `theme ${scheme}`, icon: IconSun, also: 'color scheme' },
      label: `Theme: ${scheme === 'auto' ? 'system' : scheme}`,
      run: () => setColorScheme(scheme),
    })),
    { id: 'keys', label: 'Show the keys', icon: IconKeyboard, also: 'shortcuts', run: onShowKeys },
    { id: 'sign out', label: TEXTS.signOut, icon: IconLogout, run: () => signOut('/sign-in') },
  ]
}

/** Tests ping and manifest of a platform, and shows the result. @throws Error which check failed */
async function testConnection(id: number, title: string): Promise<void> {
  notify(`Testing the connection of ${title}…`)
  const path = `/api/v1/platforms/${id}/test`
  const lines = callHubLines<ConnectionCheck | ConnectionTest>(path, { method: 'POST', body: {} })
  for await (const line of lines) {
    if ('check' in line && !line.ok) throw new Error(`${title}: ${line.message}`)
  }
  notify(`The connection of ${title} works`)
}

const SETTINGS: readonly [tab: string, label: string, role: Role][] = [
  ['account', 'Account', 'viewer'],
  ['security', 'Security', 'viewer'],
  ['tokens', 'API tokens', 'viewer'],
  ['operators', 'Operators', 'admin'],
  ['single-sign-on', 'Single sign-on', 'admin'],
  ['schedule', 'Schedule of pulls', 'viewer'],
  ['backups', 'Backups', 'admin'],
  ['retention', 'Retention', 'viewer'],
  ['mail', 'Mail', 'admin'],
  ['system', 'System', 'viewer'],
  ['audit', 'Audit log', 'admin'],
]

/** Pages, platforms with their pulls, saved views and settings. */
function usePlaces(): Entry[] {
  const { operator } = useStore(session)
  const platforms = useStore(snapshot)?.platforms ?? []
  const views = useQuery(viewsQuery()).data?.views ?? []
  return [
    ...PAGES.map(({ to, label, icon }) => ({ id: to, label, icon, href: to })),
    ...platforms.flatMap(({ id, display_title: label, platform_name: also }) => [
      {
        ...{ id: `platform ${id}`, label, also, icon: IconPlugConnected, hint: TEXTS.platform },
        href: `/dashboard/platforms/${id}`,
      },
      {
        ...{ id: `pulls ${id}`, label: `Pulls of ${label}`, icon: IconDownload, hint: TEXTS.pulls },
        ...{ href: `/dashboard/platforms/${id}?tab=pulls`, verb: 'pulls' },
      },
    ]),
    ...views.map(({ id, name, query }) => ({
      ...{ id: `view ${id}`, label: name, icon: IconBookmark, hint: 'Saved view' },
      href: `/dashboard/records?${query}`,
    })),
    ...SETTINGS.filter(([, , role]) => hasRole(operator?.role, role)).map(([tab, label]) => ({
      ...{ id: `settings ${tab}`, label, icon: IconSettings, hint: TEXTS.settings },
      ...{ also: `settings ${label}`, href: `/dashboard/settings?tab=${tab}` },
    })),
  ]
}

/** What was run last, in this browser. Records are not remembered, because they may be personal. */
const RECENT_KEY = 'recordhub recent'
const MAX_RECENT = 5

function readRecent(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(RECENT_KEY) ?? '[]')
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []
  } catch {
    return []
  }
}

function writeRecent(ids: string[]): void {
  try {
    localStorage.setItem(RECENT_KEY, JSON.stringify(ids.slice(0, MAX_RECENT)))
  } catch {
    // A browser without storage remembers nothing.
  }
}
