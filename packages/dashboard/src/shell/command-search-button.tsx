import { UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { attempt } from '../components/confirm.tsx'
import { loadPage } from '../lib/load-page.ts'
import classes from './shell.module.css'

const load = () => import('./command-search.tsx')
const CommandSearch = lazy(() => load().then((file) => ({ default: file.CommandSearch })))
const KeysDialog = lazy(() =>
  import('./keys-dialog.tsx').then((file) => ({ default: file.KeysDialog })),
)

/** Opens the search for commands, pages and records, and the list of keys, which are loaded when first opened. */
export function CommandSearchButton() {
  const [shown, setShown] = useState<'search' | 'keys' | null>(null)
  const [isLoaded, setLoaded] = useState(false)
  const [openings, setOpenings] = useState(0)
  const open = async (wanted: 'search' | 'keys') => {
    // Once loaded, it opens before the next key.
    if (!isLoaded && !(await attempt(() => loadPage(load)))) return
    setLoaded(true)
    if (shown !== wanted) setOpenings((count) => count + 1)
    setShown(wanted)
  }
  // Also in a text field, such as that of the search which is still closing.
  useHotkeys([['mod+K', () => void open('search')]], [])
  useHotkeys([
    // The page of the search has a field of its own.
    ['/', () => location.pathname !== '/dashboard/search' && void open('search')],
    ['?', () => void open('keys')],
    ['shift+?', () => void open('keys')],
  ])
  const close = () => setShown(null)
  return (
    <>
      <UnstyledButton className={classes['find']} onClick={() => void open('search')}>
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span>Search or run a command</span>
        <kbd>Ctrl K</kbd>
      </UnstyledButton>
      {isLoaded && (
        <Suspense>
          <CommandSearch
            isOpen={shown === 'search'}
            opening={openings}
            onClose={close}
            onShowKeys={() => setShown('keys')}
          />
          <KeysDialog isOpen={shown === 'keys'} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
