/* rt_device.h - what generated code and contexts see of devices other than the host. */
#ifndef RT_DEVICE_H
#define RT_DEVICE_H

#include "rt_program.h"

/* A kernel of a device over rows * columns work-items: see fe_device_launch. Devices are numbered from 1 on;
 * 0 is the host. One that checks indices (args->fault) is given the number of its first check as its
 * last int; what has failed is said by whoever waits for the device next, or at the end of the run. */
int rt_launch_on(rt_frame *frame, uint32_t device, uint32_t kernel, const fe_kernel_args *args,
                 uint32_t buffer_count, uint32_t int_count, int64_t rows, int64_t columns);
/* Elements from one device to another. later: NULL, or by what rt_wait will ask for it, the start of the
 * buffer of the host that is one of the two; it may not be touched before. */
int rt_transfer(rt_frame *frame, const fe_tensor *from, uint32_t from_device, const fe_tensor *to,
                uint32_t to_device, const void *later);
/* Returns when all copies that were to be asked for so are done. */
int rt_wait(rt_frame *frame, const void *later);

/* The queues of a device. Where its driver has one alone, both are that. */
typedef enum rt_queue { RT_KERNELS, RT_COPIES, RT_QUEUES } rt_queue;
/* A place in a queue, by its number, behind all that it has been given by now; what this queue is given from
 * now on begins when the other one has come to that place. */
int rt_mark(rt_frame *frame, uint32_t device, rt_queue queue, uint32_t number);
int rt_after(rt_frame *frame, uint32_t device, rt_queue queue, uint32_t number);

/* As rt_check_numbers and rt_clear, of memory of a device, by way of the host. */
int rt_check_numbers_on(rt_frame *frame, uint32_t device, const fe_tensor *t, int finite,
                        const char *what);
int rt_clear_on(rt_frame *frame, uint32_t device, const fe_tensor *t);

#endif
