import { Button } from '@mantine/core'
import { IconChevronLeft, IconChevronRight, IconChevronsLeft } from '@tabler/icons-react'

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
        aria-label="First page"
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
        Previous
      </Button>
      <Button
        size="xs"
        variant="default"
        rightSection={<IconChevronRight size={16} />}
        disabled={onNext === null}
        onClick={() => onNext?.()}
      >
        Next
      </Button>
    </>
  )
}
