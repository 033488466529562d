import { ActionIcon, Button, Kbd } from '@mantine/core'
import { useCounter, useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { attempt } from '../components/confirm.tsx'
import { loadPage } from '../lib/load-page.ts'
import { TEXTS } from '../texts.ts'

const load = () => import('./command-search.tsx').then((file) => ({ default: file.CommandSearch }))
const CommandSearch = lazy(load)

/** Opens the command search, which is loaded when it is first opened. */
export function CommandSearchButton() {
  const [openings, { increment }] = useCounter(0)
  const open = async () => {
    if (await attempt(() => loadPage(load))) increment()
  }
  useHotkeys([
    ['mod+K', () => void open()],
    ['/', () => void open()],
  ])
  return (
    <>
      <Button
        visibleFrom="sm"
        variant="default"
        c="dimmed"
        fw={400}
        w={260}
        justify="flex-start"
        styles={{ label: { flexGrow: 1 } }}
        leftSection={<IconSearch size={16} />}
        rightSection={<Kbd size="xs">{TEXTS.ctrlK}</Kbd>}
        onClick={() => void open()}
      >
        {TEXTS.search}
      </Button>
      <ActionIcon
        hiddenFrom="sm"
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={TEXTS.search}
        onClick={() => void open()}
      >
        <IconSearch size={18} />
      </ActionIcon>
      {openings > 0 && (
        <Suspense>
          <CommandSearch openings={openings} />
        </Suspense>
      )}
    </>
  )
}
