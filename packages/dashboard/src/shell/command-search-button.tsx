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
  const open = async (wanted: 'search' | 'keys') => {
    if (!(await attempt(() => loadPage(load)))) return
    setLoaded(true)
    setShown(wanted)
  }
  useHotkeys([
    ['mod+K', () => void open('search')],
    ['/', () => void open('search')],
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
            onClose={close}
            onShowKeys={() => setShown('keys')}
          />
          <KeysDialog isOpen={shown === 'keys'} onClose={close} />
        </Suspense>
      )}
    </>
  )
}
