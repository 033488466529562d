import { UnstyledButton } from '@mantine/core'
import { useCounter, useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense } from 'react'
import { attempt } from '../components/confirm.tsx'
import { loadPage } from '../lib/load-page.ts'
import classes from './shell.module.css'

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
      <UnstyledButton className={classes['find']} onClick={() => void open()}>
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span>Search or run a command</span>
        <kbd>Ctrl K</kbd>
      </UnstyledButton>
      {openings > 0 && (
        <Suspense>
          <CommandSearch openings={openings} />
        </Suspense>
      )}
    </>
  )
}
