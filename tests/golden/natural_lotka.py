"""Value and gradient of lotka with respect to theta, start. Written by sourcediff 0.1.0."""

# source: natural.py = tests/golden/natural.py

import numpy as np


def lotka_value_and_grad(theta, start, observed, dt):  # natural.py:82
    misfit = 0.0  # natural.py:84
    saved, t49_saved = [], []  # natural.py:85
    for row in observed:
        prey = start[0]  # natural.py:77
        predator = start[1]
        beta = theta[1]  # natural.py:78
        delta = theta[3]
        k1 = np.array([theta[0] * prey - beta * prey * predator, delta * prey * predator - theta[2] * predator])  # natural.py:86
        t10 = start + 0.5 * dt * k1  # natural.py:87
        prey1, predator1 = t10  # natural.py:77
        beta1 = theta[1]  # natural.py:78
        delta1 = theta[3]
        k2 = np.array([theta[0] * prey1 - beta1 * prey1 * predator1, delta1 * prey1 * predator1 - theta[2] * predator1])  # natural.py:87
        t21 = start + 0.5 * dt * k2  # natural.py:88
        prey2, predator2 = t21  # natural.py:77
        beta2 = theta[1]  # natural.py:78
        delta2 = theta[3]
        k3 = np.array([theta[0] * prey2 - beta2 * prey2 * predator2, delta2 * prey2 * predator2 - theta[2] * predator2])  # natural.py:88
        t31 = start + dt * k3  # natural.py:89
        prey3, predator3 = t31  # natural.py:77
        beta3 = theta[1]  # natural.py:78
        delta3 = theta[3]
        k4 = np.array([theta[0] * prey3 - beta3 * prey3 * predator3, delta3 * prey3 * predator3 - theta[2] * predator3])  # natural.py:89
        saved.append((start, t10, t21, t31))  # natural.py:90
        start = start + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t49 = np.log(start) - np.log(row)  # natural.py:91
        misfit += np.sum(t49 ** 2)
        t49_saved.append(t49)  # natural.py:85
    state_bar = np.zeros_like(start)
    theta_bar = np.zeros_like(theta)
    for row in reversed(observed):
        t49 = t49_saved.pop()
        state_bar += 2 * t49 / start  # natural.py:91
        start, t10, t21, t31 = saved.pop()  # natural.py:90
        t45_bar = state_bar * (dt / 6)
        k3_bar = 2 * t45_bar
        k2_bar = 2 * t45_bar
        t35_bar = t45_bar[0]  # natural.py:79
        t39_bar = t45_bar[1]
        t38_bar = -t39_bar
        predator3 = t31[1]
        gamma3_bar = t38_bar * predator3
        predator3_bar = t38_bar * theta[2]
        prey3 = t31[0]
        delta3 = theta[3]
        t36_bar = t39_bar * predator3
        predator3_bar += t39_bar * (delta3 * prey3)
        delta3_bar = t36_bar * prey3
        prey3_bar = t36_bar * delta3
        t34_bar = -t35_bar
        beta3 = theta[1]
        t33_bar = t34_bar * predator3
        predator3_bar += t34_bar * (beta3 * prey3)
        prey3_bar += t33_bar * beta3
        prey3_bar += t35_bar * theta[0]
        theta_bar[3] += delta3_bar  # natural.py:78
        theta_bar[2] += gamma3_bar
        theta_bar[1] += t33_bar * prey3
        theta_bar[0] += t35_bar * prey3
        t31_bar = np.array([prey3_bar, predator3_bar])  # natural.py:77
        state_bar += t31_bar  # natural.py:89
        k3_bar += t31_bar * dt
        t25_bar = k3_bar[0]  # natural.py:79
        t29_bar = k3_bar[1]
        t28_bar = -t29_bar
        predator2 = t21[1]
        gamma2_bar = t28_bar * predator2
        predator2_bar = t28_bar * theta[2]
        prey2 = t21[0]
        delta2 = theta[3]
        t26_bar = t29_bar * predator2
        predator2_bar += t29_bar * (delta2 * prey2)
        delta2_bar = t26_bar * prey2
        prey2_bar = t26_bar * delta2
        t24_bar = -t25_bar
        beta2 = theta[1]
        t23_bar = t24_bar * predator2
        predator2_bar += t24_bar * (beta2 * prey2)
        prey2_bar += t23_bar * beta2
        prey2_bar += t25_bar * theta[0]
        theta_bar[3] += delta2_bar  # natural.py:78
        theta_bar[2] += gamma2_bar
        theta_bar[1] += t23_bar * prey2
        theta_bar[0] += t25_bar * prey2
        t21_bar = np.array([prey2_bar, predator2_bar])  # natural.py:77
        state_bar += t21_bar  # natural.py:88
        k2_bar += t21_bar * (0.5 * dt)
        t14_bar = k2_bar[0]  # natural.py:79
        t18_bar = k2_bar[1]
        t17_bar = -t18_bar
        predator1 = t10[1]
        gamma1_bar = t17_bar * predator1
        predator1_bar = t17_bar * theta[2]
        prey1 = t10[0]
        delta1 = theta[3]
        t15_bar = t18_bar * predator1
        predator1_bar += t18_bar * (delta1 * prey1)
        delta1_bar = t15_bar * prey1
        prey1_bar = t15_bar * delta1
        t13_bar = -t14_bar
        beta1 = theta[1]
        t12_bar = t13_bar * predator1
        predator1_bar += t13_bar * (beta1 * prey1)
        prey1_bar += t12_bar * beta1
        prey1_bar += t14_bar * theta[0]
        theta_bar[3] += delta1_bar  # natural.py:78
        theta_bar[2] += gamma1_bar
        theta_bar[1] += t12_bar * prey1
        theta_bar[0] += t14_bar * prey1
        t10_bar = np.array([prey1_bar, predator1_bar])  # natural.py:77
        state_bar += t10_bar  # natural.py:87
        k1_bar = t45_bar + t10_bar * (0.5 * dt)
        t3_bar = k1_bar[0]  # natural.py:79
        t7_bar = k1_bar[1]
        t6_bar = -t7_bar
        predator = start[1]
        gamma_bar = t6_bar * predator
        predator_bar = t6_bar * theta[2]
        prey = start[0]
        delta = theta[3]
        t4_bar = t7_bar * predator
        predator_bar += t7_bar * (delta * prey)
        delta_bar = t4_bar * prey
        prey_bar = t4_bar * delta
        t2_bar = -t3_bar
        beta = theta[1]
        t1_bar = t2_bar * predator
        predator_bar += t2_bar * (beta * prey)
        prey_bar += t1_bar * beta
        prey_bar += t3_bar * theta[0]
        theta_bar[3] += delta_bar  # natural.py:78
        theta_bar[2] += gamma_bar
        theta_bar[1] += t1_bar * prey
        theta_bar[0] += t3_bar * prey
        state_bar[1] += predator_bar  # natural.py:77
        state_bar[0] += prey_bar
    return misfit, (theta_bar, state_bar)


EQUAL = (('2', 'start.0'), ('4', 'theta.0'))

ASSUMED = (('observed.1', '==', '2'), ('start.0', '==', '2'))
