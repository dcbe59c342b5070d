"""Which of equal elements comes first, where PyTorch leaves it to the C++ library's unstable algorithms.

`torch.sort` of more than 16 elements, `topk` and `kthvalue` name, among equal elements, the one that libstdc++'s sort,
nth_element and partial_sort happen to put there. These are the same algorithms, on ranks: lists of small integers that
compare as the elements do. They return the order of the elements as a list of their places, which the kernels must find.
"""

from __future__ import annotations

SMALL = 16


def _pivot_partition(q: list, r: list, first: int, last: int) -> int:
    """Move the median of three to the front and split the rest around it."""
    middle = first + (last - first) // 2
    a, b, c = r[q[first + 1]], r[q[middle]], r[q[last - 1]]
    if a < b:
        found = middle if b < c else last - 1 if a < c else first + 1
    else:
        found = first + 1 if a < c else last - 1 if b < c else middle
    q[first], q[found] = q[found], q[first]
    pivot = r[q[first]]
    low, high = first + 1, last
    while True:
        while r[q[low]] < pivot:
            low += 1
        high -= 1
        while pivot < r[q[high]]:
            high -= 1
        if low >= high:
            return low
        q[low], q[high] = q[high], q[low]
        low += 1


def _depth(n: int) -> int:
    return 2 * (n.bit_length() - 1)


def _introsort(q: list, r: list, first: int, last: int, depth: int) -> None:
    while last - first > SMALL:
        if depth == 0:
            part = q[first:last]
            _heap_sort(part, r, len(part))
            q[first:last] = part
            return
        depth -= 1
        cut = _pivot_partition(q, r, first, last)
        _introsort(q, r, cut, last, depth)
        last = cut


def sort(r: list, q: list | None = None) -> list[int]:
    """std::sort. Its last pass, an insertion sort, is stable."""
    q = list(range(len(r))) if q is None else q
    if len(q) > SMALL:
        _introsort(q, r, 0, len(q), _depth(len(q)))
    q.sort(key=r.__getitem__)
    return q


def select(r: list, nth: int) -> list[int]:
    """std::nth_element: the element of rank `nth` in its place, smaller ones before it."""
    q = list(range(len(r)))
    first, last, depth = 0, len(q), _depth(len(q)) if q else 0
    while last - first > 3:
        if depth == 0:
            part = q[first:last]
            _heap_select(part, r, nth + 1 - first)
            q[first:last] = part
            q[first], q[nth] = q[nth], q[first]
            return q
        depth -= 1
        cut = _pivot_partition(q, r, first, last)
        if cut <= nth:
            first = cut
        else:
            last = cut
    q[first:last] = sorted(q[first:last], key=r.__getitem__)
    return q


def _sift(heap: list, r: list, hole: int, length: int, value: int) -> None:
    top = child = hole
    while child < (length - 1) // 2:
        child = 2 * (child + 1)
        if r[heap[child]] < r[heap[child - 1]]:
            child -= 1
        heap[hole] = heap[child]
        hole = child
    if length & 1 == 0 and child == (length - 2) // 2:
        child = 2 * (child + 1)
        heap[hole] = heap[child - 1]
        hole = child - 1
    parent = (hole - 1) // 2
    while hole > top and r[heap[parent]] < r[value]:
        heap[hole] = heap[parent]
        hole, parent = parent, (parent - 1) // 2
    heap[hole] = value


def _heap_select(q: list, r: list, k: int) -> None:
    for parent in range((k - 2) // 2, -1, -1):
        _sift(q, r, parent, k, q[parent])
    for i in range(k, len(q)):
        if r[q[i]] < r[q[0]]:
            value, q[i] = q[i], q[0]
            _sift(q, r, 0, k, value)


def _heap_sort(q: list, r: list, k: int) -> None:
    _heap_select(q, r, k)
    for last in range(k - 1, 0, -1):
        value, q[last] = q[last], q[0]
        _sift(q, r, 0, last, value)


def leading(r: list, k: int) -> list[int]:
    """The places of the `k` first, as torch.topk takes them."""
    if k * 64 <= len(r):
        q = list(range(len(r)))
        _heap_sort(q, r, k)
        return q[:k]
    q = select(r, k - 1)
    return [*sort(r, q[: k - 1]), q[k - 1]]


def quick_select(r: list, k: int) -> int:
    """The place of the element of rank `k`, as torch.kthvalue finds it."""
    q = list(range(len(r)))
    left, right = 0, len(q) - 1

    def swap(i: int, j: int) -> None:
        q[i], q[j] = q[j], q[i]

    while left < right:
        if right == left + 1:
            if r[q[left]] > r[q[right]]:
                swap(left, right)
            break
        swap(left + (right - left) // 2, left + 1)
        if r[q[left + 1]] > r[q[right]]:
            swap(left + 1, right)
        if r[q[left]] > r[q[right]]:
            swap(left, right)
        if r[q[left + 1]] > r[q[left]]:
            swap(left + 1, left)
        i, j, pivot = left + 1, right, r[q[left]]
        while True:
            i += 1
            while pivot > r[q[i]]:
                i += 1
            j -= 1
            while r[q[j]] > pivot:
                j -= 1
            if j < i:
                break
            swap(i, j)
        swap(left, j)
        if j <= k:
            left = i
        if j >= k:
            right = j - 1
    return q[k]
