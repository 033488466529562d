import { Button } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react'
import { TEXTS } from '../texts.ts'

/** Buttons for the first, previous and next page. Null disables a button. */
export function PageButtons({
  onFirst,
  onPrevious,
  onNext,
}: Record<'onFirst' | 'onPrevious' | 'onNext', (() => void) | null>) {
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={TEXTS.firstPage}
        disabled={onFirst === null}
        onClick={() => onFirst?.()}
      >
        <IconChevronsLeft size={16} />
      </Button>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconChevronLeft size={16} />}
        disabled={onPrevious === null}
        onClick={() => onPrevious?.()}
      >
        {TEXTS.previous}
      </Button>
      <Button
        size="xs"
        variant="default"
        rightSection={<IconChevronRight size={16} />}
        disabled={onNext === null}
        onClick={() => onNext?.()}
      >
        {TEXTS.next}
      </Button>
    </>
  )
}
